// SPDX-License-Identifier: Apache-2.0
#include "train/plan/env_lanes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "train/plan/even_parts.hpp"
#include "train/plan/units.hpp"

namespace tenon {
namespace {

// Layer 0 is the env.
std::vector<LiveOption> live_options(const EnvParts& parts, const LivePlan& live) {
    std::vector<LiveOption> out;
    for (std::size_t i = 0; i < parts.wrappers.size(); ++i) {
        const Part& part = parts.wrappers[i];
        for (std::size_t k = 0; k < part.schema().size(); ++k) {
            const std::int64_t value = live.find(part.table->path + "." + part.schema()[k].name);
            if (value >= 0) {
                out.push_back({.layer = i + 1,
                               .option = static_cast<std::uint32_t>(k),
                               .value = static_cast<std::size_t>(value)});
            }
        }
    }
    return out;
}

}  // namespace

std::vector<std::uint32_t> training_lanes(const EnvParts& parts, std::uint32_t lanes) {
    if (parts.tasks.empty()) {
        return {lanes};
    }
    std::size_t others = 0;
    for (const TaskTable& table : *parts.tables) {
        // Too many lanes have been reported; this goes on with fewer to find other problems.
        lanes -= std::min(lanes, static_cast<std::uint32_t>(table.lanes.value_or(0)));
        others += table.lanes ? 0 : 1;
    }
    const std::vector<std::uint32_t> rest = even_parts(lanes, others);
    std::vector<std::uint32_t> out;
    auto next = rest.begin();
    for (const TaskTable& table : *parts.tables) {
        out.push_back(table.lanes ? static_cast<std::uint32_t>(*table.lanes) : *next++);
    }
    return out;
}

namespace {

Result<std::unique_ptr<EnvTasks>> make_tasks(const EnvParts& parts, std::span<const std::uint32_t> lanes,
                                             std::uint64_t seed, std::string_view stream) {
    const auto other =
        std::ranges::find_if(parts.tasks, [&](const Part& part) { return part.info.name != parts.env.info.name; });
    EnvTasks::Parts made{.tasks = {},
                         .column = parts.task_column,
                         .categories = static_cast<std::uint32_t>(parts.tasks.size()),
                         .name = other == parts.tasks.end() ? parts.env.info.name : "the tasks of [env]",
                         .place = parts.env.table->ref.place};
    for (std::size_t i = 0; i < parts.tasks.size(); ++i) {
        if (lanes[i] == 0) {
            continue;
        }
        Instance env = TENON_TRY(instantiate(parts.tasks[i], lanes[i], seed, stream));
        made.tasks.push_back({.name = *(*parts.tables)[i].name,
                              .number = static_cast<std::uint32_t>(i),
                              .env = std::move(env),
                              .lanes = lanes[i]});
    }
    return EnvTasks::make(std::move(made));
}

}  // namespace

Result<std::vector<Instance>> make_transforms(const EnvParts& parts, std::uint32_t lanes, std::uint64_t seed,
                                              std::string_view stream) {
    std::vector<Instance> out;
    for (const Part& part : parts.transforms) {
        if (!is_graph_transform(part)) {
            out.push_back(TENON_TRY(instantiate(part, lanes, seed, stream)));
        }
    }
    return out;
}

Result<Lanes> make_lanes(const EnvParts& parts, const LivePlan& live, std::span<const std::uint32_t> lanes,
                         std::uint64_t seed, std::string_view stream, Pool& pool, std::shared_ptr<Device> device) {
    const std::uint32_t all = std::accumulate(lanes.begin(), lanes.end(), std::uint32_t{0});
    std::optional<Instance> env;
    std::unique_ptr<EnvTasks> tasks;
    if (parts.tasks.empty()) {
        env.emplace(TENON_TRY(instantiate(parts.env, all, seed, stream)));
    } else {
        tasks = TENON_TRY(make_tasks(parts, lanes, seed, stream));
    }
    std::vector<Instance> wrappers;
    for (const Part& part : parts.wrappers) {
        wrappers.push_back(TENON_TRY(instantiate(part, all, seed, stream)));
    }
    std::vector<Instance> transforms = TENON_TRY(make_transforms(parts, all, seed, stream));
    Lanes out = TENON_TRY(
        env ? Lanes::make(std::move(*env), std::move(wrappers), std::move(transforms), all, pool, std::move(device))
            : Lanes::make(std::move(tasks), std::move(wrappers), std::move(transforms), all, pool));
    TENON_TRY(out.read_options(live_options(parts, live), live.values));
    return out;
}

Status sum_returns(Lanes& lanes, const Manifest& manifest) {
    Status summed = manifest.eval.returns ? lanes.sum(*manifest.eval.returns) : Status();
    if (!summed && summed.error().place.file.empty()) {
        summed.error().place = place_of(manifest, "eval.returns");
    }
    return summed;
}

}  // namespace tenon
