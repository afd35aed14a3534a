// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/seed_list.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tenon {

Result<std::vector<std::int64_t>> read_seeds(const std::string& text) {
    constexpr std::int64_t kMost = 10'000;
    std::vector<std::int64_t> seeds;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        std::int64_t first = 0;
        auto read = std::from_chars(at, end, first);
        std::int64_t last = first;
        if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
        }
        if (read.ec != std::errc{} || first < 0 || (read.ptr != end && *read.ptr != ',')) {
            return input_problem("--seeds needs numbers and ranges of them such as 0-4,11, not '" + text + "'");
        }
        if (last < first) {
            return input_problem("the range of seeds " + std::string(at, read.ptr) + " begins after its end");
        }
        if (last - first >= kMost || static_cast<std::int64_t>(seeds.size()) + last - first >= kMost) {
            return input_problem("--seeds names more than " + std::to_string(kMost) + " seeds");
        }
        for (std::int64_t seed = first; seed <= last; ++seed) {
            if (std::ranges::find(seeds, seed) != seeds.end()) {
                return input_problem("--seeds names the seed " + std::to_string(seed) + " twice");
            }
            seeds.push_back(seed);
        }
        if (read.ptr == end) {
            return seeds;
        }
        at = read.ptr + 1;
    }
}

}  // namespace tenon
