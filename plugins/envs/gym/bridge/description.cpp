// SPDX-License-Identifier: Apache-2.0
#include "description.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/guard.hpp"
#include "tenon/spec.hpp"

namespace bridge {
namespace {

std::vector<std::string_view> split(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(mark);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

[[noreturn]] void refuse(std::string_view line) {
    throw tenon::Unavailable("a worker process described its environment as '" + std::string(line) +
                             "', which the plugin does not understand");
}

template <class Number>
std::vector<Number> numbers(std::string_view list) {
    std::vector<Number> out;
    for (const std::string_view part : list.empty() ? std::vector<std::string_view>{} : split(list, ',')) {
        Number value{};
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc{} || end != part.data() + part.size()) {
            refuse(list);
        }
        out.push_back(value);
    }
    return out;
}

std::int32_t dtype_named(std::string_view name) {
    for (std::int32_t dtype = TN_F32; dtype <= TN_BOOL; ++dtype) {
        if (name == tenon::dtype_name(dtype)) {
            return dtype;
        }
    }
    refuse(name);
}

std::int32_t kind_named(std::string_view name) {
    constexpr std::pair<std::string_view, std::int32_t> kKinds[] = {{"unbounded", TN_SPEC_UNBOUNDED},
                                                                    {"bounded", TN_SPEC_BOUNDED},
                                                                    {"categorical", TN_SPEC_CATEGORICAL},
                                                                    {"multi_categorical", TN_SPEC_MULTI_CATEGORICAL},
                                                                    {"binary", TN_SPEC_BINARY}};
    for (const auto& [known, kind] : kKinds) {
        if (name == known) {
            return kind;
        }
    }
    refuse(name);
}

}  // namespace

Description read_description(const std::string& text) {
    Description out;
    out.text = text;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> fields = split(line, '\t');
        if (fields[0] == "limit" && fields.size() == 2) {
            out.limit = numbers<std::int64_t>(fields[1]).at(0);
            continue;
        }
        if (fields[0] == "note" && fields.size() == 2) {
            out.notes.emplace_back(fields[1]);
            continue;
        }
        if (fields.size() != 9) {
            refuse(line);
        }
        tenon::Spec spec;
        spec.key = fields[1];
        spec.kind = kind_named(fields[2]);
        spec.dtype = dtype_named(fields[3]);
        spec.shape = numbers<std::int64_t>(fields[4]);
        spec.low = numbers<double>(fields[5]);
        spec.high = numbers<double>(fields[6]);
        spec.categories = numbers<std::int64_t>(fields[7]);
        spec.group = fields[8];
        auto& list = fields[0] == "observation" ? out.spec.observations
                     : fields[0] == "action"    ? out.spec.actions
                     : fields[0] == "reward"    ? out.spec.rewards
                     : fields[0] == "end"       ? out.spec.ends
                                                : out.spec.extras;
        list.push_back(std::move(spec));
    }
    return out;
}

}  // namespace bridge
