// SPDX-License-Identifier: Apache-2.0
// The program tenon-worker: a process in which the host runs a plugin, or lanes with their policy. Only the host starts
// it.
#include <cstdlib>
#include <span>
#include <string_view>

#include "tenon/core.hpp"

int main(int count, char** words) {
    const std::span<const char* const> all(words, static_cast<std::size_t>(count));
    const bool collects = all.size() == 3 && std::string_view(all[2]) == "collect";
    return collects ? tenon::serve_lanes(std::atoi(all[1])) : tenon::serve(all);
}
