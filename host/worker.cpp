// SPDX-License-Identifier: Apache-2.0
// The program tenon-worker: a process in which the host runs a plugin, or lanes with their policy. Only the host starts
// it.
#include <charconv>
#include <span>
#include <string_view>

#include "plugins/isolation/serve.hpp"
#include "run/sessions/lane_worker.hpp"

int main(int count, char** words) {
    const std::span<const char* const> all(words, static_cast<std::size_t>(count));
    if (all.size() != 3 || std::string_view(all[2]) != "collect") {
        return tenon::serve(all);
    }
    const std::string_view word = all[1];
    int descriptor = -1;
    std::from_chars(word.data(), word.data() + word.size(), descriptor);
    return tenon::serve_lanes(descriptor);
}
