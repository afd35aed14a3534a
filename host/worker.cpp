// SPDX-License-Identifier: Apache-2.0
// The program tenon-worker: a process in which the host runs a plugin, or lanes with their policy, or the courier of
// lanes on another machine. Only the host starts it.
#include <charconv>
#include <span>
#include <string_view>

#include "engines/isolation/serve.hpp"
#include "run/sessions/lane_worker.hpp"
#include "train/collect/workers/courier.hpp"

int main(int count, char** words) {
    const std::span<const char* const> all(words, static_cast<std::size_t>(count));
    const std::string_view task = all.size() < 3 ? "" : all[2];
    if (all.size() == 2 && std::string_view(all[1]) == "remote") {
        return tenon::serve_remote_courier();
    }
    if (task != "collect" && task != "courier") {
        return tenon::serve(all);
    }
    const std::string_view word = all[1];
    int descriptor = -1;
    std::from_chars(word.data(), word.data() + word.size(), descriptor);
    return task == "collect" ? tenon::serve_lanes(descriptor)
                             : tenon::serve_local_courier(descriptor, {all.begin() + 3, all.end()});
}
