// SPDX-License-Identifier: Apache-2.0
// Options that are lists, for tests of components.
#pragma once

#include <string_view>
#include <vector>

#include "tenon/abi/option.h"
#include "tenon/guard.hpp"

namespace tenon::test {

// The strings of a list option; must outlive the creation of the instance.
struct Words {
    explicit Words(const std::vector<std::string_view>& list) {
        for (const std::string_view word : list) {
            words.push_back(to_str(word));
        }
    }
    void into(tn_option_value& option) const {
        option.texts = words.data();
        option.count = words.size();
    }
    std::vector<tn_str> words;
};

}  // namespace tenon::test
