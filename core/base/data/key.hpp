// SPDX-License-Identifier: Apache-2.0
// Keys of columns: dotted paths such as "next.observation". Names of metrics, losses and parameters, which end up in
// files.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// Why `key` is invalid, as the end of a sentence ("has an empty part"); empty if it is valid.
std::string key_fault(std::string_view key);

// The same for the name of a metric, loss, stage or parameter, which may also contain slashes.
std::string name_fault(std::string_view name);

// Whether `key` equals the prefix or is below it. "next.done" is within "next", "nextdone" is not.
bool within(std::string_view key, std::string_view prefix);

// Whether the key, or what it is below, has a meaning for the host or is reserved for one (tenon/abi/env.h).
bool is_reserved(std::string_view key);

// What readers put before a key for its value one step later, or for what a step says about its transition
// (replay/reader.hpp).
inline constexpr std::string_view kNextPrefix = "next.";
inline constexpr std::string_view kNextTerminated = "next.terminated";
inline constexpr std::string_view kNextTruncated = "next.truncated";
inline constexpr std::string_view kNextDone = "next.done";
bool is_next(std::string_view key);
std::string next_key(std::string_view key);
// The key without the prefix; a key that has none stays.
std::string_view without_next(std::string_view key);

// Whether the column says how episodes end: "terminated" or "truncated".
bool is_end_flag(std::string_view key);

// Joins "next" and "done" to "next.done"; with an empty prefix it returns the key.
std::string join_keys(std::string_view prefix, std::string_view key);

}  // namespace tenon
