// SPDX-License-Identifier: Apache-2.0
// Trials that all run to their ends, several at a time.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/file/atomic.hpp"
#include "commands/sweep/sweep_site.hpp"

namespace tenon {
namespace {

// The end of a batch of trials. Points of a grid or at random do not depend on results, so as many trials may run at
// the same time as there are jobs. A batch of another search ends at a multiple of its size, so that a restarted sweep
// knows the same results.
std::size_t batch_end(const SweepSite& site) {
    const SweepFile& file = site.file;
    const bool learns = file.search != "grid" && file.search != "random";
    const std::size_t begin = site.journal.size();
    const std::size_t fill = (slots_of(site.launch.machines) + file.seeds.size() - 1) / file.seeds.size();
    return std::min(learns ? (begin / file.batch + 1) * file.batch : begin + fill, file.trials);
}

Result<bool> run_batch(SweepSite& site) {
    const SweepFile& file = site.file;
    const std::size_t begin = site.journal.size();
    const std::size_t end = batch_end(site);
    std::vector<Observation> known;
    for (std::size_t i = 0; i < begin / file.batch * file.batch; ++i) {
        known.push_back(observation_of(file, site.journal[i]));
    }
    std::vector<SweepTrial> batch;
    std::vector<SeedRun> runs;
    for (std::size_t number = begin; number < end; ++number) {
        batch.push_back(next_trial(file, known, number));
        const std::filesystem::path folder = folder_of_trial(site.out, number);
        std::ranges::move(runs_of(file, batch.back(), folder), std::back_inserter(runs));
        TENON_TRY(make_folders(folder));
    }
    const SeedRuns done = launch_runs(site.launch, std::move(runs));
    if (done.stopped) {  // the next call finds which of its runs are complete
        return true;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::size_t seeds = file.seeds.size();
        TENON_TRY(take_results(file, std::span(done.runs).subspan(i * seeds, seeds), batch[i]));
        site.journal.push_back(std::move(batch[i]));
    }
    Status saved = site.save();
    return saved ? Result<bool>(false) : Result<bool>(std::move(saved).error());
}

}  // namespace

Result<bool> run_batches(SweepSite& site) {
    while (site.journal.size() < site.file.trials) {
        if (Result<bool> stopped = run_batch(site); !stopped || *stopped) {
            return stopped;
        }
    }
    return false;
}

}  // namespace tenon
