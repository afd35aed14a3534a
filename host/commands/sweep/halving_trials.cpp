// SPDX-License-Identifier: Apache-2.0
// Trials that stop at rungs with a checkpoint. The better ones continue from it.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/file/atomic.hpp"
#include "commands/sweep/search/halving.hpp"
#include "commands/sweep/sweep_site.hpp"

namespace tenon {
namespace {

class Halving {
public:
    explicit Halving(SweepSite& site) : site_(site), table_(*site.file.halving) {}

    Result<bool> run() {
        for (const SweepTrial& leg : site_.journal) {  // trials that were running are started again first
            if (!leg.ended && std::ranges::none_of(site_.journal, [&](const SweepTrial& other) {
                    return other.ended && other.number == leg.number && other.leg == leg.leg;
                })) {
                TENON_TRY(set_out(leg));
            }
        }
        site_.launch.total = expected_length();
        return launch_runs_from(
            site_.launch, {.next = [&] { return next(); }, .ended = [&](const SeedRun& run) { return ended(run); }});
    }

private:
    [[nodiscard]] std::size_t rungs() const { return table_.rungs.size() + 1; }

    // The expected length of a trial, if each rung is reached by its share of the trials.
    [[nodiscard]] std::int64_t expected_length() const {
        double trials = static_cast<double>(site_.file.trials * site_.file.seeds.size());
        double out = 0;
        double before = 0;
        for (std::size_t rung = 0; rung < rungs(); ++rung) {
            const bool known = rung < table_.rungs.size() && table_.in_updates == (site_.launch.unit == "update");
            const auto end = static_cast<double>(known ? table_.rungs[rung] : site_.launch.length);
            out += trials * (end - before);
            before = end;
            trials /= static_cast<double>(table_.factor);
        }
        return static_cast<std::int64_t>(out);
    }

    // The results that the search uses: those of the highest rung that has enough, as in Falkner et al. (2018).
    [[nodiscard]] std::vector<Observation> known() const {
        for (std::size_t rung = rungs(); rung-- > 0;) {
            std::vector<Observation> out;
            for (const SweepTrial& leg : site_.journal) {
                if (leg.ended && (leg.leg == rung || (leg.leg < rung && !std::isfinite(leg.score)))) {
                    out.push_back(observation_of(site_.file, leg));
                }
            }
            const auto scores =
                std::ranges::count_if(out, [](const Observation& each) { return std::isfinite(each.loss); });
            if (static_cast<std::size_t>(scores) >= kRandomStart || rung == 0) {
                return out;
            }
        }
        return {};
    }

    Result<std::optional<SeedRun>> next() {
        if (waiting_.empty()) {
            TENON_TRY(plan());
        }
        if (waiting_.empty()) {
            return std::optional<SeedRun>();
        }
        SeedRun run = std::move(waiting_.front());
        waiting_.erase(waiting_.begin());
        return std::optional(std::move(run));
    }

    Status plan() {
        std::vector<RungResult> results;
        std::size_t begun = 0;
        for (const SweepTrial& leg : site_.journal) {
            begun = std::max(begun, leg.number + 1);
            results.push_back({.trial = leg.number,
                               .rung = leg.leg,
                               .ended = leg.ended,
                               .loss = observation_of(site_.file, leg).loss});
        }
        const std::optional<HalvingStep> step = halving_step(results, rungs(), table_.factor, begun, site_.file.trials);
        if (!step) {
            return {};
        }
        SweepTrial leg;
        if (step->rung == 0) {
            leg = next_trial(site_.file, known(), step->trial);
        } else {
            const auto first = std::ranges::find(site_.journal, step->trial, &SweepTrial::number);
            leg.number = step->trial;
            leg.point = first->point;
            leg.values = first->values;
        }
        leg.leg = step->rung;
        leg.ended = false;
        site_.journal.push_back(leg);
        Status saved = site_.save();
        return saved ? set_out(leg) : saved;
    }

    Status set_out(const SweepTrial& leg) {
        std::vector<std::string> more;
        if (leg.leg < table_.rungs.size()) {
            more = {table_.in_updates ? "--leave-at-updates" : "--leave-at-frames",
                    std::to_string(table_.rungs[leg.leg])};
        }
        const std::filesystem::path folder = folder_of_trial(site_.out, leg.number);
        for (SeedRun& run : runs_of(site_.file, leg, folder, more)) {
            waiting_.push_back(std::move(run));
        }
        under_way_[folder].leg = leg;
        return make_folders(folder);
    }

    Status ended(const SeedRun& run) {
        const auto found = under_way_.find(run.folder.parent_path());
        std::vector<SeedRun>& runs = found->second.runs;
        runs.push_back(run);
        if (runs.size() < site_.file.seeds.size()) {
            return {};
        }
        std::ranges::sort(runs, {},
                          [&](const SeedRun& each) { return std::ranges::find(site_.file.seeds, each.seed); });
        SweepTrial leg = std::move(found->second.leg);
        leg.ended = true;
        Status taken = take_results(site_.file, runs, leg);
        under_way_.erase(found);
        if (!taken) {
            return taken;
        }
        if (leg.code == 0 && !leg.error.empty() && leg.leg < table_.rungs.size()) {
            leg.error += " by " + std::to_string(table_.rungs[leg.leg]) + (table_.in_updates ? " updates" : " frames") +
                         ": let [eval] come earlier, or [halving] later";
        }
        site_.journal.push_back(std::move(leg));
        return site_.save();
    }

    struct UnderWay {
        SweepTrial leg;
        std::vector<SeedRun> runs;  // that have ended
    };

    SweepSite& site_;
    const HalvingTable& table_;
    std::vector<SeedRun> waiting_;
    std::map<std::filesystem::path, UnderWay> under_way_;
};

}  // namespace

Result<bool> run_halving(SweepSite& site) {
    return Halving(site).run();
}

}  // namespace tenon
