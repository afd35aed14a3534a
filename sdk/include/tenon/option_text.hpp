// SPDX-License-Identifier: Apache-2.0
// Mistakes inside of options that are texts in a language of their own: expressions, patterns, formulas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// What to throw for a mistake at byte `at` of the option's text:
//
//     option 'reward', character 5 of "1 + qvle[0]": there is no 'qvle'
//
// The host shows the line and column of the manifest that have this character.
inline InvalidArgument mistake_in(std::string_view option, std::string_view text, std::size_t at,
                                  std::string_view why) {
    std::size_t number = 1;
    for (std::size_t i = 0; i < at && i < text.size(); ++i) {
        number += (static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U ? 1 : 0;
    }
    std::string sentence("option '");
    sentence.append(option).append("', character ").append(std::to_string(number)).append(" of \"");
    sentence.append(text).append("\": ").append(why);
    return InvalidArgument(sentence);
}

// Collects mistakes of several texts, which the host then reports one by one, each at its own place.
class Mistakes {
public:
    // Keeps the mistake that `read` throws, if it does.
    template <class Read>
    void note(Read&& read) {
        try {
            std::forward<Read>(read)();
        } catch (const InvalidArgument& mistake) {
            all_.append(all_.empty() ? "" : "; ").append(mistake.what());
        }
    }
    void throw_any() const {
        if (!all_.empty()) {
            throw InvalidArgument(all_);
        }
    }

private:
    std::string all_;
};

}  // namespace TENON_SDK
}  // namespace tenon
