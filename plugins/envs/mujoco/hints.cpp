// SPDX-License-Identifier: Apache-2.0
#include "hints.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "words.hpp"

namespace physics {
namespace {

struct Foreign {
    std::string_view text;
    std::string_view hint;
};

constexpr std::array kForeign = {
    Foreign{"*", "; powers are written x ^ y"},
    Foreign{"if ", "; write if(condition, a, b)"},
    Foreign{"?", "; write if(condition, a, b)"},
    Foreign{"&&", "; write and"},
    Foreign{"||", "; write or"},
    Foreign{"!", "; write not"},
    Foreign{"=", "; to compare numbers write a == b"},
    Foreign{".", "; functions are written abs(x)"},
};

}  // namespace

std::string hint_of_word(std::string_view word, const mjModel& model) {
    if (word == "action") {
        return "; the action is 'ctrl'";
    }
    const std::vector<std::string> words = all_words();
    for (const std::string& array : words) {
        const std::string_view kind = kind_of_object(array);
        if (!kind.empty() && std::ranges::count(objects_of(array, model), word) > 0) {
            const std::string name(word);
            return "; '" + name + "' is a " + std::string(kind) + " of the model: " + array + "('" + name + "')";
        }
    }
    return suggestion(word, words);
}

std::string hint_of_text(std::string_view rest) {
    const auto* const found =
        std::ranges::find_if(kForeign, [&](const Foreign& foreign) { return rest.starts_with(foreign.text); });
    return found == kForeign.end() ? "" : std::string(found->hint);
}

}  // namespace physics
