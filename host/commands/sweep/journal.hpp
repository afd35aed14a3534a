// SPDX-License-Identifier: Apache-2.0
// journal.jsonl of a sweep: a description of the sweep, then one line for each leg of a trial that has ended. A plain
// trial has one leg. A trial of successive halving has a leg for each rung, and also a line when a leg begins, so that
// legs that were running when the sweep was killed are started again. A member of a population has a leg for each
// generation.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "commands/sweep/search/space.hpp"

namespace tenon {

struct SweepTrial {
    std::size_t number = 0;
    std::size_t leg = 0;       // rung or generation
    std::ptrdiff_t from = -1;  // the member whose checkpoint it has copied before this leg; -1: none
    bool ended = true;         // false: the leg has begun
    Point point;
    std::vector<std::string> values;  // as TOML, one for each key
    int code = 0;                     // the exit code of its first run that failed
    double score = 0;                 // the mean of its runs; NaN: it failed
    std::vector<double> scores;       // of each seed
    double seconds = 0;               // of all its runs so far
    std::string error;                // of a failed one: a sentence
};

// Complete or not at all: the whole file is replaced.
Status write_journal(const std::filesystem::path& path, const std::string& sweep,
                     const std::vector<SweepTrial>& trials);

// The trials of that sweep; none if there is no file. Another sweep's journal is refused.
Result<std::vector<SweepTrial>> read_journal(const std::filesystem::path& path, const std::string& sweep);

}  // namespace tenon
