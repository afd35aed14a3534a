// SPDX-License-Identifier: Apache-2.0
// Mistakes of a sweep that only its manifests show.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "commands/sweep/sweep.hpp"
#include "commands/sweep/sweep_site.hpp"
#include "config/manifest/pace.hpp"
#include "run/start/executor.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

bool is_float_range(const Dimension& dimension) {
    return dimension.choices == 0 && !dimension.integer;
}

// Wires the base at a point. A problem of a value gets its place in the sweep's file.
Setup setup_at(const SweepFile& file, const SweepRequest& request, const Point& point, Problems& problems) {
    const SweepBase& base = base_at(file, point);
    const std::vector<std::string> values = values_at(file, point);
    Request wired{.manifest = base.file, .plugins = request.plugins};
    const std::string prefix = "[space] ";
    for (std::size_t i = file.bases.size() > 1 ? 1 : 0; i < values.size(); ++i) {
        wired.overrides.push_back({file.keys[i].key + "=" + values[i], prefix + std::to_string(i)});
    }
    const std::size_t before = problems.size();
    Setup out = set_up(wired, problems);
    for (std::size_t i = before; i < problems.size(); ++i) {
        Problem& problem = problems[i];
        if (problem.place.file.empty()) {
            problem.place = base.place;
        }
        if (problem.place.file.starts_with(prefix)) {
            const std::size_t key = std::stoul(problem.place.file.substr(prefix.size()));
            problem.place = file.keys[key].place;
            if (problem.sentence.ends_with(" must be an int, but is a float") && is_float_range(file.space[key])) {
                problem.help = "add type = \"int\" to the range";
            }
        }
        if (file.bases.size() > 1) {
            problem.sentence = "with base " + base.name + ": " + problem.sentence;
        }
    }
    return out;
}

// Whether one of them can continue a checkpoint of the other.
bool have_same_shapes(const Wiring& a, const Wiring& b) {
    const auto sizes = [](const Wiring& wiring) {
        std::vector<std::pair<std::string, std::vector<std::int64_t>>> out;
        for (const NetworkLayout& network : wiring.layouts.networks) {
            for (const Parameter& parameter : network.parameters) {
                out.emplace_back(network.role + "." + parameter.name, parameter.shape);
            }
        }
        return out;
    };
    return sizes(a) == sizes(b) && a.manifest.env.lanes == b.manifest.env.lanes;
}

void check_population(const SweepFile& file, const SweepRequest& request, const Point& first, const Wiring& wiring,
                      Problems& problems) {
    if (std::ranges::any_of(wiring.manifest.buffers, [](const BufferTable& buffer) { return !buffer.path.empty(); })) {
        problems.push_back(input_problem("members of a [population] cannot copy a buffer on a disk",
                                         file.population->place, "keep the buffer in memory"));
        return;
    }
    for (std::size_t i = 0; i < file.keys.size(); ++i) {
        Point other = first;
        const Dimension& dimension = file.space[i];
        const auto last = static_cast<double>(dimension.choices) - 1;
        const double end = dimension.choices > 0 ? last : dimension.max;
        other[i] = first[i] == end ? (dimension.choices > 0 ? 0 : dimension.min) : end;
        const Setup setup = setup_at(file, request, other, problems);
        if (problems.empty() && !have_same_shapes(wiring, *setup.wiring)) {
            problems.push_back(input_problem("members of a [population] copy each other's checkpoints, but " +
                                                 file.keys[i].key + " changes the shapes of networks or the lanes",
                                             file.keys[i].place, "search for it with another sweep"));
        }
    }
}

// The rungs must be before the end, and of a unit that the run has.
void check_lengths(const SweepFile& file, const SweepBase& base, const Manifest& manifest, Problems& problems) {
    const bool counts_updates = only_learns(manifest);
    if (file.halving && !file.halving->in_updates && counts_updates) {
        problems.push_back(
            input_problem(base.name + " only learns and has no frames: [halving] needs updates", file.halving->place));
        return;
    }
    const bool comparable = file.halving && file.halving->in_updates == counts_updates;
    const std::int64_t last = comparable ? file.halving->rungs.back() : file.population ? file.population->interval : 0;
    if (last > 0 && last >= run_length(manifest)) {
        problems.push_back(
            input_problem((file.halving ? "the last rung of [halving], " : "the interval of [population], ") +
                              std::to_string(last) + ", is not before the end of " + base.name + ", " +
                              length_key(manifest) + " = " + std::to_string(run_length(manifest)),
                          file.halving ? file.halving->place : file.population->place));
    }
}

// A schedule with `from` gives its option every value, so those of the trials would have no effect.
void check_schedules(const SweepFile& file, const SweepBase& base, const Manifest& manifest, Problems& problems) {
    for (const SpaceKey& key : file.keys) {
        const auto schedule = std::ranges::find(manifest.schedules, key.key, &ScheduleTable::option);
        if (schedule != manifest.schedules.end() && schedule->pieces.front().from) {
            const std::string path = "schedule.\"" + key.key + "\"";
            problems.push_back(input_problem(
                key.key + " has no effect: [schedule] of " + base.name + " gives it its values from the start",
                key.place,
                schedule->list ? "let " + base.name + " have no " + path : "vary '" + path + ".from' instead"));
        }
    }
}

// The metric must have a value when trials are compared: at the end, and at the first rung.
void check_metric(const SweepFile& file, const SweepBase& base, const Manifest& manifest, Problems& problems) {
    const bool evaluated = file.metric.starts_with("eval/");
    const std::string units = unit_of(manifest) + std::string("s");
    const std::string key = "eval.every_" + units;
    const std::int64_t evaluations = every(manifest.eval);
    if (evaluated && evaluations == 0) {
        problems.push_back(input_problem(
            base.name + " has no evaluations, so no trial has a value of " + file.metric, file.metric_place,
            "give " + base.name + " " + key + ", or let metric be one of training, such as rollout/ep_rew_mean"));
        return;
    }
    const bool comparable = file.halving && file.halving->in_updates == only_learns(manifest);
    const std::int64_t records = every(manifest.log);
    const std::int64_t first = evaluated || (evaluations > 0 && evaluations < records) ? evaluations : records;
    if (comparable && file.halving->rungs.front() < first) {
        problems.push_back(input_problem(
            "trials are compared at " + std::to_string(file.halving->rungs.front()) + " " + units + ", but " +
                base.name + " has no value of " + file.metric + " before " + std::to_string(first),
            file.halving->place, "begin later, or let " + (evaluated ? key : "log.every_" + units) + " be smaller"));
    }
}

}  // namespace

std::optional<SweepLength> check_sweep(const SweepFile& file, const SweepRequest& request, Problems& problems) {
    SweepLength out;
    for (std::size_t i = 0; i < file.bases.size(); ++i) {
        Point point = next_trial(file, {}, 0).point;
        if (file.bases.size() > 1) {
            point.front() = static_cast<double>(i);
        }
        Problems found;
        const Setup setup = setup_at(file, request, point, found);
        if (found.empty()) {
            check_executor(*setup.wiring, found);
        }
        if (found.empty()) {
            const Manifest& manifest = setup.wiring->manifest;
            check_lengths(file, file.bases[i], manifest, found);
            check_metric(file, file.bases[i], manifest, found);
            check_schedules(file, file.bases[i], manifest, found);
            if (!out.unit.empty() && out.unit != unit_of(manifest)) {
                found.push_back(input_problem("the length of " + file.bases[i].name + " is counted in " +
                                                  unit_of(manifest) + "s, and that of " + file.bases[0].name + " in " +
                                                  out.unit + "s: they cannot be compared",
                                              file.bases[i].place));
            }
            out.length = std::max(out.length, run_length(manifest));
            out.unit = unit_of(manifest);
        }
        if (found.empty() && file.population) {
            check_population(file, request, point, *setup.wiring, found);
        }
        std::ranges::move(found, std::back_inserter(problems));
    }
    return problems.empty() ? std::optional(out) : std::nullopt;
}

}  // namespace tenon
