// SPDX-License-Identifier: Apache-2.0
// A text that a plugin has given, which may be null.
#pragma once

#include <string>

#include "tenon/abi/types.h"

namespace tenon {

inline std::string text_of(tn_str text) {
    return text.data == nullptr ? std::string() : std::string(text.data, text.size);
}

}  // namespace tenon
