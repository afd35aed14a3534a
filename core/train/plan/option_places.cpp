// SPDX-License-Identifier: Apache-2.0
#include "train/plan/option_places.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/manifest/character.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

bool is_same(const Place& a, const Place& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The position of the option's name in the sentence; npos if it is not mentioned.
std::size_t mention(std::string_view sentence, std::string_view option) {
    for (std::size_t at = sentence.find(option); at != std::string_view::npos; at = sentence.find(option, at + 1)) {
        const char before = at == 0 ? ' ' : sentence[at - 1];
        const std::size_t end = at + option.size();
        const char after = end == sentence.size() ? ' ' : sentence[end];
        const bool is_quoted = before == '\'' && after == '\'';
        const bool is_name = option.find('_') != std::string_view::npos && !is_of_word(before) && !is_of_word(after);
        if (is_quoted || is_name) {
            return at;
        }
    }
    return std::string_view::npos;
}

// The text, or the element of a list, that the sentence quotes; null if it quotes none.
const TomlNode* quoted_value(std::string_view sentence, const TomlNode& value) {
    if (value.list() != nullptr) {
        for (const TomlNode& element : *value.list()) {
            if (const TomlNode* const quoted = quoted_value(sentence, element)) {
                return quoted;
            }
        }
        return nullptr;
    }
    const auto* const text = std::get_if<std::string>(&value.value);
    const bool is_quoted =
        text != nullptr && !text->empty() && sentence.find("'" + repaired(*text) + "'") != std::string_view::npos;
    return is_quoted ? &value : nullptr;
}

// The place inside of the option's text, if the sentence says which character of it is wrong.
std::optional<Place> place_inside(std::string_view sentence, const TomlNode& value) {
    static constexpr std::string_view kWords = "character ";
    if (value.list() != nullptr) {
        for (const TomlNode& element : *value.list()) {
            if (std::optional<Place> place = place_inside(sentence, element)) {
                return place;
            }
        }
        return std::nullopt;
    }
    const auto* const text = std::get_if<std::string>(&value.value);
    const std::size_t at = sentence.find(kWords);
    if (text == nullptr || at == std::string_view::npos) {
        return std::nullopt;
    }
    sentence.remove_prefix(at + kWords.size());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(sentence.data(), sentence.data() + sentence.size(), number);
    const std::string named = " of \"" + repaired(*text) + '"';
    if (error != std::errc() || number == 0 ||
        !std::string_view(end, sentence.data() + sentence.size()).starts_with(named)) {
        return std::nullopt;
    }
    return place_of_character(value, number - 1);
}

// Whether the problem's place is that of the part's component.
bool is_of(const Problem& problem, const Part& part) {
    const Place& shown = problem.place.file.empty() && !problem.also.empty() ? problem.also.front() : problem.place;
    return shown.line != 0 && is_same(shown, part.table->ref.place);
}

// The beginning of the next mistake in a sentence about several: "...; option 'reward', character 3 of ...".
std::size_t next_mistake(std::string_view sentence, std::size_t from, const Part& part) {
    static constexpr std::string_view kNext = "; option '";
    for (std::size_t at = sentence.find(kNext, from); at != std::string_view::npos; at = sentence.find(kNext, at + 1)) {
        const std::string_view name = sentence.substr(at + kNext.size());
        const auto is_named = [&](const GivenOption& option) {
            return name.starts_with(option.name) && name.substr(option.name.size()).starts_with('\'');
        };
        if (std::ranges::any_of(part.table->options, is_named)) {
            return at;
        }
    }
    return std::string_view::npos;
}

// Makes one problem for each mistake of a component.
void part_mistakes(const Part& part, std::size_t first, Problems& problems) {
    for (std::size_t i = first; i < problems.size(); ++i) {
        const std::string all = problems[i].sentence;
        const std::size_t begin = all.find("option '");
        if (begin == std::string::npos || !is_of(problems[i], part)) {
            continue;
        }
        for (std::size_t at = begin; at != std::string::npos;) {
            const std::size_t end = next_mistake(all, at, part);
            Problem one = problems[i];
            one.sentence = all.substr(0, begin) + all.substr(at, end - at);
            if (at == begin) {
                problems[i] = std::move(one);
            } else {
                problems.insert(problems.begin() + static_cast<std::ptrdiff_t>(++i), std::move(one));
            }
            at = end == std::string::npos ? end : end + std::string_view("; ").size();
        }
    }
}

// The tables of components with this option; empty if more than two have it, as a list of them would not help.
std::vector<std::string> tables_with(const std::string& option, const Parts& parts) {
    constexpr std::size_t kMost = 2;
    std::vector<std::string> out;
    each_part(parts, [&](const Part& part) {
        const auto is_it = [&](const OptionSchema& schema) { return schema.name == option; };
        const bool has = part.info.note != nullptr && std::ranges::any_of(part.schema(), is_it);
        if (has && std::ranges::find(out, part.table->path) == out.end()) {
            out.push_back(part.table->path);
        }
    });
    return out.size() > kMost ? std::vector<std::string>() : out;
}

}  // namespace

void point_at_options(const Parts& parts, std::size_t first, Problems& problems) {
    each_part(parts, [&](const Part& part) {
        part_mistakes(part, first, problems);
        for (std::size_t i = first; i < problems.size(); ++i) {
            Problem& problem = problems[i];
            if (!is_of(problem, part)) {
                continue;
            }
            Place& shown = problem.place.file.empty() && !problem.also.empty() ? problem.also.front() : problem.place;
            std::vector<std::pair<std::size_t, const GivenOption*>> mentioned;
            for (const GivenOption& option : part.table->options) {
                const std::size_t at = mention(problem.sentence, option.name);
                if (at != std::string_view::npos) {
                    mentioned.emplace_back(at, &option);
                }
            }
            std::ranges::sort(mentioned);  // in the order of the sentence
            if (!mentioned.empty()) {
                const TomlNode& value = mentioned.front().second->value;
                shown = place_inside(problem.sentence, value).value_or(value.place);
            }
            for (std::size_t k = 0; k < part.table->options.size() && mentioned.empty(); ++k) {
                if (const TomlNode* const quoted = quoted_value(problem.sentence, part.table->options[k].value)) {
                    shown = quoted->place;
                    break;
                }
            }
            for (std::size_t k = 1; k < mentioned.size(); ++k) {
                problem.also.push_back(mentioned[k].second->value.place);
            }
        }
    });
}

void name_option_owners(const Parts& parts, Problems& problems) {
    for (Problem& problem : problems) {
        const std::size_t dot = problem.unknown_key.rfind('.');
        const bool is_outside = dot == std::string::npos;
        const std::vector<std::string> owners =
            tables_with(is_outside ? problem.unknown_key : problem.unknown_key.substr(dot + 1), parts);
        if (problem.unknown_key.empty() || owners.empty()) {
            continue;
        }
        const std::string second = owners.size() > 1 ? " and [" + owners.back() + "]" : "";
        problem.sentence =
            (is_outside ? "'" + problem.unknown_key + "' is outside of any table" : std::move(problem.sentence)) +
            "; it is an option of [" + owners.front() + "]" + second;
        problem.help.clear();
    }
}

}  // namespace tenon
