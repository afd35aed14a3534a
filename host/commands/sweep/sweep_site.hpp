// SPDX-License-Identifier: Apache-2.0
// What the ways to make the trials of a sweep share: its file, its journal, and trials as runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "commands/sweep/journal.hpp"
#include "commands/sweep/search/search.hpp"
#include "commands/sweep/sweep_file.hpp"
#include "shared/seeds/seeds.hpp"

namespace tenon {

struct SweepSite {
    const SweepFile& file;
    std::filesystem::path out;
    SeedsRequest launch;
    std::vector<SweepTrial> journal;

    [[nodiscard]] Status save() const { return write_journal(out / "journal.jsonl", file.text, journal); }
};

// Each continues where the journal ends, and returns whether Ctrl-C has stopped it.
Result<bool> run_batches(SweepSite& site);     // all trials to their ends
Result<bool> run_halving(SweepSite& site);     // [halving]
Result<bool> run_population(SweepSite& site);  // [population]

// Trial `number` at the point that the search proposes after these results.
SweepTrial next_trial(const SweepFile& file, const std::vector<Observation>& known, std::size_t number);

Observation observation_of(const SweepFile& file, const SweepTrial& trial);

std::vector<std::string> values_at(const SweepFile& file, const Point& point);

std::filesystem::path folder_of_trial(const std::filesystem::path& out, std::size_t number);

// The runs of a trial in its folder, one for each seed. `more`: further words of each.
std::vector<SeedRun> runs_of(const SweepFile& file, const SweepTrial& trial, const std::filesystem::path& folder,
                             const std::vector<std::string>& more = {});

// Enters the results of a trial's runs. A problem: no run records the metric at all.
Status take_results(const SweepFile& file, std::span<const SeedRun> runs, SweepTrial& trial);

}  // namespace tenon
