// SPDX-License-Identifier: Apache-2.0
// Keys of columns: dotted paths such as "next.observation".
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// What keeps `key` from being one, as the end of a sentence ("has an empty part"); empty where nothing does.
std::string key_fault(std::string_view key);

// Is `key` the prefix itself or below it? "next.done" is within "next", "nextdone" is not.
bool within(std::string_view key, std::string_view prefix);

// "next" and "done" make "next.done"; an empty prefix makes the key itself.
std::string join_keys(std::string_view prefix, std::string_view key);

}  // namespace tenon
