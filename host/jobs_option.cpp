// SPDX-License-Identifier: Apache-2.0
#include "jobs_option.hpp"

#include <cstdint>
#include <string>

#include "base/error/problem.hpp"

namespace tenon::host {

Result<std::size_t> jobs_of(const CommandLine& line) {
    const std::int64_t jobs = line.integer("jobs").value_or(1);
    if (jobs < 1 || jobs > 1024) {
        return input_problem("--jobs must be from 1 to 1024, but is " + std::to_string(jobs));
    }
    return static_cast<std::size_t>(jobs);
}

}  // namespace tenon::host
