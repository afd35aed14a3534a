// SPDX-License-Identifier: Apache-2.0
// The properties of the process that a plugin may not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/error/result.hpp"
#include "commands/check/verdict.hpp"

namespace tenon {

struct ProcessFacts {
    std::size_t threads = 0;
    std::size_t files = 0;  // open files
    std::string folder;
    std::string locale;
    std::string handlers;  // the handler of each signal

    static ProcessFacts now();
};

// What has changed, as the rest of a sentence: "2 threads more are running"; empty if nothing has.
std::string change(const ProcessFacts& before, const ProcessFacts& after);

// Bytes of memory that the process holds, and bytes of its heap that are in use.
std::size_t resident_bytes();
std::size_t heap_bytes();

// Calls turn(0), turn(1), .. `count` times. Fails if a call has a problem, or if the heap has grown since the first
// tenth of the calls. `turns` is their name in the sentence.
Verdict check_heap(std::uint64_t count, const std::string& turns, const std::function<Status(std::uint64_t)>& turn);

}  // namespace tenon
