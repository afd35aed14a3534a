// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/file/atomic.hpp"
#include "commands/sweep/sweep_site.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/key_path.hpp"
#include "config/option/toml_text.hpp"
#include "shared/seeds/seeds.hpp"

namespace tenon {
namespace {

// The last leg of each trial, in order of their numbers. A trial whose last leg failed has failed.
std::vector<SweepTrial> last_legs(const std::vector<SweepTrial>& journal) {
    std::map<std::size_t, SweepTrial> last;
    for (const SweepTrial& leg : journal) {
        last.insert_or_assign(leg.number, leg);
    }
    const auto trials = std::views::values(last);
    return {trials.begin(), trials.end()};
}

// Trials that ran further are better, because the others were given up. -1: none has a score.
std::ptrdiff_t best_of(const SweepFile& file, const std::vector<SweepTrial>& trials) {
    const auto rank = [&](const SweepTrial& trial) {
        return std::tuple(std::isfinite(trial.score), trial.leg, file.maximise ? trial.score : -trial.score);
    };
    const auto best = std::ranges::max_element(trials, {}, rank);
    return best == trials.end() || !std::isfinite(best->score) ? -1 : best - trials.begin();
}

std::vector<std::size_t> front_of(const SweepFile& file, const std::vector<SweepTrial>& trials) {
    const auto seen = [&](const SweepTrial& trial) { return observation_of(file, trial); };
    return file.search == "cost" ? pareto_front(mapped<Observation>(trials, seen)) : std::vector<std::size_t>();
}

std::vector<std::string> reached_by_leg(const SweepFile& file, const SweepLength& length) {
    std::vector<std::string> out;
    if (file.halving) {
        for (const std::int64_t rung : file.halving->rungs) {
            out.push_back(std::to_string(rung) + (file.halving->in_updates ? " updates" : " frames"));
        }
    }
    if (file.population) {
        for (std::int64_t at = file.population->interval; at < length.length; at += file.population->interval) {
            out.push_back(std::to_string(at) + " " + length.unit + "s");
        }
    }
    out.emplace_back("end");
    return out;
}

bool is_in_list(const TomlTable* table, const SpaceKey& key) {
    for (const KeyPart& part : read_key_path(key.key).parts) {
        const TomlNode* const node = table != nullptr ? table->find(part.name) : nullptr;
        if (node != nullptr && node->is_table_list()) {
            return true;
        }
        table = node != nullptr ? node->table() : nullptr;
    }
    return false;
}

// A manifest that includes the base and has the values of the trial, or, if these are of elements of a list, which it
// could not change alone, includes the trial's manifest.
Status write_best(const SweepFile& file, const std::filesystem::path& out, const SweepTrial& trial) {
    std::filesystem::path base = base_at(file, trial.point).file;
    Problems ignored;
    const std::optional<Document> read = read_manifest(base.string(), {}, ignored);
    const bool in_list =
        read && std::ranges::any_of(file.keys, [&](const SpaceKey& key) { return is_in_list(&read->root, key); });
    if (in_list) {
        base = folder_of_trial(out, trial.number) / std::to_string(file.seeds.front()) / "manifest.lock.toml";
    }
    std::error_code code;
    base = std::filesystem::proximate(std::filesystem::absolute(base), std::filesystem::absolute(out), code);
    std::string text = "# Trial " + std::to_string(trial.number) + " of a sweep: " + file.metric + " = " +
                       toml_float(trial.score) + "\n";
    if (file.population) {
        text += "# It had these values at the end, and others before: journal.jsonl has them.\n";
    }
    text += "include = [" + toml_string(base.string()) + "]\n";
    for (std::size_t i = file.bases.size() > 1 ? 1 : 0; i < trial.values.size(); ++i) {
        text += (in_list ? "# " : "") + file.keys[i].key + " = " + trial.values[i] + "\n";
    }
    return write_file(out / "best.toml", text);
}

Result<bool> make_trials(SweepSite& site) {
    if (site.file.halving) {
        return run_halving(site);
    }
    return site.file.population ? run_population(site) : run_batches(site);
}

}  // namespace

Result<Sweep> run_sweep(const SweepFile& file, const SweepRequest& request, const SweepLength& length) {
    TENON_TRY(lock_runs(request.out));
    std::vector<SweepTrial> known = TENON_TRY(read_journal(request.out / "journal.jsonl", file.text));
    SweepSite site{.file = file, .out = request.out, .launch = {}, .journal = std::move(known)};
    site.launch.program = request.program;
    site.launch.words = request.words;
    site.launch.machines = request.machines;
    site.launch.out = request.out;
    site.launch.quiet = request.quiet;
    site.launch.length = length.length;
    site.launch.unit = length.unit;
    if (Status begun = site.save(); !begun) {  // what the folder is for
        return std::move(begun).error();
    }
    const bool stopped = TENON_TRY(make_trials(site));
    Sweep out{.journal = std::move(site.journal), .trials = {}, .front = {}, .reached = {}, .stopped = stopped};
    std::erase_if(out.journal, [](const SweepTrial& leg) { return !leg.ended; });
    out.trials = last_legs(out.journal);
    out.front = front_of(file, out.trials);
    out.reached = reached_by_leg(file, length);
    out.best = best_of(file, out.trials);
    if (out.best >= 0) {
        TENON_TRY(write_best(file, request.out, out.trials[static_cast<std::size_t>(out.best)]));
    }
    return out;
}

}  // namespace tenon
