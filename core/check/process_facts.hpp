// SPDX-License-Identifier: Apache-2.0
// What a plugin may not change in the process that it is loaded into.
#pragma once

#include <cstddef>
#include <string>

namespace tenon {

struct ProcessFacts {
    std::size_t threads = 0;
    std::size_t files = 0;  // open ones
    std::string folder;
    std::string locale;
    std::string handlers;  // what is done about each signal

    static ProcessFacts now();
};

// What has changed in between, the rest of a sentence: "2 threads more are running"; empty where nothing has.
std::string change(const ProcessFacts& before, const ProcessFacts& after);

// Bytes of memory that the process holds, and bytes of its heap that are in use.
std::size_t resident_bytes();
std::size_t heap_bytes();

}  // namespace tenon
