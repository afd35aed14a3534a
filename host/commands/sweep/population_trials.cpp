// SPDX-License-Identifier: Apache-2.0
// A population: all members train for a generation, then the worst continue from checkpoints of the best, with other
// values.
#include <algorithm>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include "base/file/atomic.hpp"
#include "commands/sweep/copy_run.hpp"
#include "commands/sweep/search/population.hpp"
#include "commands/sweep/sweep_site.hpp"

namespace tenon {
namespace {

class Population {
public:
    explicit Population(SweepSite& site)
        : site_(site), members_(site.file.trials), interval_(site.file.population->interval) {}

    Result<bool> run() {
        const std::int64_t length = site_.launch.length;
        site_.journal.resize(site_.journal.size() / members_ * members_);  // whole generations
        const auto generations = static_cast<std::size_t>((length + interval_ - 1) / interval_);
        while (site_.journal.size() < generations * members_) {
            if (Result<bool> stopped = run_generation(generations); !stopped || *stopped) {
                return stopped;
            }
            if (std::ranges::all_of(last_generation(), [](const SweepTrial& leg) { return !leg.error.empty(); })) {
                break;  // no member has a checkpoint to continue from
            }
        }
        return false;
    }

private:
    [[nodiscard]] std::span<const SweepTrial> last_generation() const {
        return std::span(site_.journal).last(std::min(members_, site_.journal.size()));
    }

    // The folder of the member's runs: its latest copy. The first runs are no copies.
    [[nodiscard]] std::filesystem::path folder_of(std::size_t member, std::span<const SweepTrial> journal) const {
        std::filesystem::path out = folder_of_trial(site_.out, member);
        std::string name = out.string();
        for (const SweepTrial& leg : journal) {
            if (leg.number == member && leg.from >= 0) {
                name = out.string() + "-" + std::to_string(leg.leg);
            }
        }
        return name;
    }

    [[nodiscard]] std::int64_t seed_of(std::size_t member, std::size_t i) const {
        const std::int64_t stride = *std::ranges::max_element(site_.file.seeds) + 1;
        return site_.file.seeds[i] + (static_cast<std::int64_t>(member) * stride);
    }

    [[nodiscard]] std::vector<SweepTrial> plan(std::size_t generation) const {
        std::vector<SweepTrial> out;
        if (generation == 0) {
            for (std::size_t member = 0; member < members_; ++member) {
                out.push_back(next_trial(site_.file, {}, member));
            }
            return out;
        }
        std::vector<Observation> known;
        for (const SweepTrial& leg : last_generation()) {
            known.push_back(observation_of(site_.file, leg));
        }
        const std::vector<MemberPlan> plans =
            population_plan(site_.file.space, known, site_.file.population->rules, site_.file.seed, generation);
        for (std::size_t member = 0; member < members_; ++member) {
            SweepTrial leg{.number = member,
                           .leg = generation,
                           .point = plans[member].point,
                           .values = values_at(site_.file, plans[member].point),
                           .scores = {},
                           .error = {}};
            leg.from = plans[member].from == member ? -1 : static_cast<std::ptrdiff_t>(plans[member].from);
            out.push_back(std::move(leg));
        }
        return out;
    }

    // Makes all copies before any member continues, so that the copies are of the generation's end.
    Status copy(const std::vector<SweepTrial>& legs, const std::vector<SweepTrial>& with_legs) {
        for (const SweepTrial& leg : legs) {
            if (leg.from < 0) {
                continue;
            }
            const auto model = static_cast<std::size_t>(leg.from);
            const std::filesystem::path from = folder_of(model, site_.journal);
            const std::filesystem::path to = folder_of(leg.number, with_legs);
            TENON_TRY(make_folders(to));
            for (std::size_t i = 0; i < site_.file.seeds.size(); ++i) {
                TENON_TRY(
                    copy_run(from / std::to_string(seed_of(model, i)), to / std::to_string(seed_of(leg.number, i))));
            }
        }
        return {};
    }

    // Deletes the checkpoints of members that continue from copies of others. Their records stay.
    void drop_checkpoints(const std::vector<SweepTrial>& legs) const {
        for (const SweepTrial& leg : legs) {
            for (std::size_t i = 0; leg.from >= 0 && i < site_.file.seeds.size(); ++i) {
                std::error_code code;
                const std::filesystem::path folder = folder_of(leg.number, site_.journal);
                std::filesystem::remove_all(folder / std::to_string(seed_of(leg.number, i)) / "checkpoints", code);
            }
        }
    }

    [[nodiscard]] std::vector<SeedRun> runs(const SweepTrial& leg, const std::filesystem::path& folder,
                                            bool is_last) const {
        std::vector<std::string> more;
        if (!is_last) {
            const char* const option = site_.launch.unit == "update" ? "--leave-at-updates" : "--leave-at-frames";
            more = {option, std::to_string(interval_ * static_cast<std::int64_t>(leg.leg + 1))};
        }
        if (folder != folder_of_trial(site_.out, leg.number)) {  // its runs are copies, with other values
            more.insert(more.end(), {"--change", "run.seed"});
            for (const SpaceKey& key : site_.file.keys) {
                more.insert(more.end(), {"--change", key.key});
            }
        }
        std::vector<SeedRun> out = runs_of(site_.file, leg, folder, more);
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i].seed = seed_of(leg.number, i);
            out[i].folder = folder / std::to_string(out[i].seed);
        }
        return out;
    }

    Result<bool> run_generation(std::size_t generations) {
        const std::size_t generation = site_.journal.size() / members_;
        std::vector<SweepTrial> legs = plan(generation);
        std::vector<SweepTrial> with_legs = site_.journal;
        with_legs.insert(with_legs.end(), legs.begin(), legs.end());
        TENON_TRY(copy(legs, with_legs));
        drop_checkpoints(legs);
        std::vector<SeedRun> all;
        for (const SweepTrial& leg : legs) {
            const std::filesystem::path folder = folder_of(leg.number, with_legs);
            TENON_TRY(make_folders(folder));
            std::ranges::move(runs(leg, folder, generation + 1 == generations), std::back_inserter(all));
        }
        const SeedRuns done = launch_runs(site_.launch, std::move(all));
        if (done.stopped) {
            return true;
        }
        const std::size_t seeds = site_.file.seeds.size();
        for (std::size_t i = 0; i < legs.size(); ++i) {
            TENON_TRY(take_results(site_.file, std::span(done.runs).subspan(i * seeds, seeds), legs[i]));
        }
        std::ranges::move(legs, std::back_inserter(site_.journal));
        Status saved = site_.save();
        return saved ? Result<bool>(false) : Result<bool>(std::move(saved).error());
    }

    SweepSite& site_;
    std::size_t members_;
    std::int64_t interval_;
};

}  // namespace

Result<bool> run_population(SweepSite& site) {
    return Population(site).run();
}

}  // namespace tenon
