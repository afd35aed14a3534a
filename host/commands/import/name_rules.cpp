// SPDX-License-Identifier: Apache-2.0
#include "commands/import/name_rules.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/data/shape_text.hpp"

namespace tenon {
namespace {

constexpr std::string_view kLayerNumber = "{n}";
constexpr std::string_view kTransposed = ":t";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

Problem unreadable(const std::string& text) {
    return input_problem("--map must be FROM=NETWORK/NAME, such as pi.=actor/, but is '" + text + "'", {},
                         "docs/import.md has all forms: h.{n}.=actor/block{n}., FROM=TO:t, FROM[0/3]=TO, FROM=TO[0]");
}

// The whole number that is all of the text, or nothing.
std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && out >= 0 ? std::optional(out) : std::nullopt;
}

// Removes "[..]" from the end of the text, and returns what stands between the brackets.
std::optional<std::string> take_brackets(std::string& text) {
    const std::size_t open = text.rfind('[');
    if (!text.ends_with(']') || open == std::string::npos) {
        return std::nullopt;
    }
    std::string inside = text.substr(open + 1, text.size() - open - 2);
    text.resize(open);
    return inside;
}

// What a pattern matches at the beginning of a name.
struct Match {
    std::size_t length;
    std::string number;  // in the place of {n}
};

std::optional<Match> match(std::string_view pattern, std::string_view name) {
    Match out{.length = 0, .number = {}};
    for (std::size_t at = 0; at < pattern.size();) {
        if (pattern.substr(at).starts_with(kLayerNumber)) {
            std::string digits;
            for (; out.length < name.size() && is_digit(name[out.length]); ++out.length) {
                digits += name[out.length];
            }
            if (digits.empty() || (!out.number.empty() && digits != out.number)) {
                return std::nullopt;
            }
            out.number = std::move(digits);
            at += kLayerNumber.size();
        } else if (out.length < name.size() && name[out.length] == pattern[at]) {
            ++out.length;
            ++at;
        } else {
            return std::nullopt;
        }
    }
    return out;
}

std::string with_number(std::string text, const std::string& number) {
    for (std::size_t at = text.find(kLayerNumber); at != std::string::npos;
         at = text.find(kLayerNumber, at + number.size())) {
        text.replace(at, kLayerNumber.size(), number);
    }
    return text;
}

ForeignTensor transposed(ForeignTensor tensor) {
    if (tensor.shape.size() != 2) {
        return tensor;
    }
    const auto rows = static_cast<std::size_t>(tensor.shape[0]), columns = static_cast<std::size_t>(tensor.shape[1]);
    std::vector<double> values(tensor.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i % columns * rows + i / columns] = tensor.values[i];
    }
    std::swap(tensor.shape[0], tensor.shape[1]);
    tensor.values = std::move(values);
    return tensor;
}

Result<ForeignTensor> part_of(ForeignTensor tensor, const NameRule& rule, const std::string& subject) {
    if (rule.parts == 1) {
        return tensor;
    }
    if (tensor.shape.empty() || tensor.shape[0] % rule.parts != 0) {
        return input_problem(subject + ": the tensor " + tensor.name + " is " + shape_text(tensor.shape) +
                             ", which has no " + std::to_string(rule.parts) + " equal parts (--map " + rule.text + ")");
    }
    const auto size = tensor.values.size() / static_cast<std::size_t>(rule.parts);
    const auto begin = tensor.values.begin() + static_cast<std::ptrdiff_t>(size) * rule.part;
    tensor.shape[0] /= rule.parts;
    tensor.name += "[" + std::to_string(rule.part) + "/" + std::to_string(rule.parts) + "]";
    tensor.values = std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size));
    return tensor;
}

using Pieces = std::map<std::int64_t, ForeignTensor>;  // by their places

// The pieces of one parameter, in order.
Result<NamedTensor> joined(const std::string& name, Pieces pieces, const std::string& subject) {
    ForeignTensor whole;
    std::int64_t next = 0;
    for (auto& [place, piece] : pieces) {
        if (place != next++) {
            return input_problem(subject + ": part " + std::to_string(next - 1) + " of " + name + " is missing");
        }
        if (place == 0) {
            whole = std::move(piece);
            continue;
        }
        if (piece.shape.empty() || whole.shape.size() != piece.shape.size() ||
            !std::equal(piece.shape.begin() + 1, piece.shape.end(), whole.shape.begin() + 1)) {
            return input_problem(subject + ": " + whole.name + " and " + piece.name + " do not go together in " + name +
                                 ": " + shape_text(whole.shape) + " and " + shape_text(piece.shape));
        }
        whole.shape[0] += piece.shape[0];
        whole.name += " + " + piece.name;
        whole.values.insert(whole.values.end(), piece.values.begin(), piece.values.end());
    }
    return NamedTensor{.name = name, .tensor = std::move(whole)};
}

}  // namespace

Result<NameRule> read_name_rule(const std::string& text) {
    const std::size_t middle = text.find('=');
    if (middle == std::string::npos) {
        return unreadable(text);
    }
    NameRule out{.text = text, .from = text.substr(0, middle), .to = text.substr(middle + 1)};
    if (out.to.ends_with(kTransposed)) {
        out.to.resize(out.to.size() - kTransposed.size());
        out.transposed = true;
    }
    if (const std::optional<std::string> place = take_brackets(out.to)) {
        const std::optional<std::int64_t> number = number_of(*place);
        if (!number) {
            return unreadable(text);
        }
        out.place = *number;
    }
    if (const std::optional<std::string> part = take_brackets(out.from)) {
        const std::size_t of = part->find('/');
        const auto number = number_of(part->substr(0, of));
        const auto count = of == std::string::npos ? std::nullopt : number_of(part->substr(of + 1));
        if (!number || !count || *number >= *count) {
            return unreadable(text);
        }
        out.part = *number;
        out.parts = *count;
    }
    const bool numbered =
        out.to.find(kLayerNumber) == std::string::npos || out.from.find(kLayerNumber) != std::string::npos;
    if (out.from.empty() || out.to.find('/') == std::string::npos || !numbered) {
        return unreadable(text);
    }
    return out;
}

Result<std::vector<NameRule>> read_name_rules(std::string_view lines) {
    std::vector<NameRule> out;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string line(lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (!line.empty() && line[0] != '#') {
            out.push_back(TENON_TRY(read_name_rule(line)));
            out.back().optional = true;
        }
    }
    return out;
}

bool applies(const NameRule& rule, std::string_view name) {
    return match(rule.from, name).has_value();
}

Result<std::vector<NamedTensor>> apply(const std::vector<NameRule>& rules, const std::vector<ForeignTensor>& tensors,
                                       const std::string& subject) {
    std::vector<NamedTensor> out;
    std::vector<std::pair<std::string, Pieces>> parted;  // in the order of the file
    for (const ForeignTensor& tensor : tensors) {
        const auto first =
            std::ranges::find_if(rules, [&](const NameRule& rule) { return applies(rule, tensor.name); });
        if (first == rules.end()) {
            out.push_back({.name = tensor.name, .tensor = tensor});
            continue;
        }
        for (const NameRule& rule : rules) {
            if (rule.from != first->from) {
                continue;
            }
            const Match found = *match(rule.from, tensor.name);
            std::string name = with_number(rule.to, found.number) + tensor.name.substr(found.length);
            ForeignTensor made = TENON_TRY(part_of(rule.transposed ? transposed(tensor) : tensor, rule, subject));
            if (rule.place < 0) {
                out.push_back({.name = std::move(name), .tensor = std::move(made)});
                continue;
            }
            auto whole = std::ranges::find(parted, name, &std::pair<std::string, Pieces>::first);
            if (whole == parted.end()) {
                whole = parted.emplace(parted.end(), std::move(name), Pieces());
            }
            whole->second.insert_or_assign(rule.place, std::move(made));
        }
    }
    for (auto& [name, pieces] : parted) {
        out.push_back(TENON_TRY(joined(name, std::move(pieces), subject)));
    }
    return out;
}

}  // namespace tenon
