// SPDX-License-Identifier: Apache-2.0
#include "train/plan/capabilities/present.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {

void add_collector_parts(const Wiring& w, PresentParts& parts) {
    if (!w.manifest.collector) {
        return;
    }
    const CollectorTable& table = *w.manifest.collector;
    const auto add = [&](bool has, Feature feature, const char* key) { add_key(w.manifest, parts, has, feature, key); };
    const Feature kind = w.pools()                   ? Feature::kPool
                         : w.collects_in_processes() ? Feature::kProcesses
                         : w.collects_async()        ? Feature::kAsync
                                                     : Feature::kSync;
    add_key(w.manifest, parts, true, kind, "collector.kind", '"' + table.kind + '"');
    add(table.ready.has_value(), Feature::kReady, "collector.ready");
    add(table.workers.has_value(), Feature::kWorkerCount, "collector.workers");
    add(!table.via.empty(), Feature::kWorkersVia, "collector.via");
    add(!table.listen.empty(), Feature::kWorkersConnect, "collector.listen");
    add(table.lag > 0, Feature::kLag, "collector.lag");
    add(table.max_lag.has_value(), Feature::kMaxLag, "collector.max_lag");
    add(table.record.has_value(), Feature::kRecord, "collector.record");
}

void add_task_parts(const Wiring& w, PresentParts& parts) {
    if (!w.parts.training.tasks.empty()) {
        parts.push_back({.feature = Feature::kTasks,
                         .subject = "[[env.tasks]]",
                         .place = w.parts.training.tasks.front().table->place});
    }
}

void add_env_parts(const Wiring& w, const Lanes& lanes, PresentParts& parts) {
    const EnvParts& env = w.parts.training;
    for (const Part& wrapper : env.wrappers) {
        parts.push_back(part_of(Feature::kWrapper, wrapper));
    }
    bool isolated = false;
    each_part(env, [&](const Part& part) {
        const bool is_remote = part.table->schema != "env.wrappers" &&
                               part.table->isolation.value_or(w.manifest.plugins.isolation) == "process";
        add_part(parts, is_remote && !isolated, part_of(Feature::kIsolatedEnv, part));
        isolated = isolated || is_remote;
    });
    const Result<std::uint32_t> later = lanes.answers_later();
    add_part(parts, !later && env.wrappers.empty() && env.tasks.empty() && !isolated,
             {.feature = Feature::kUsualEnv,
              .subject = lanes.name(),
              .place = env.env.table->place,
              .clause = later ? "" : later.error().sentence});
    const auto add_transforms = [&](Feature feature, const std::vector<std::string>& names) {
        const std::vector<Part>& transforms = w.parts.training.transforms;
        for (const std::string& name : names) {
            const auto part = std::ranges::find_if(transforms, [&](const Part& p) { return p.info.name == name; });
            parts.push_back({.feature = feature,
                             .subject = name,
                             .place = part == transforms.end() ? Place() : part->table->place});
        }
    };
    add_transforms(Feature::kCommonTransform, lanes.commons());
    add_transforms(Feature::kUnjoinedTransform, lanes.without_join());
}

void add_acting_parts(const Wiring& w, PresentParts& parts) {
    if (w.procedure != nullptr) {
        parts.push_back(part_of(Feature::kProcedure, *w.procedure));
    }
    const auto add = [&](bool has, Feature feature, std::string subject, const char* key) {
        add_part(parts, has, {.feature = feature, .subject = std::move(subject), .place = place_of(w.manifest, key)});
    };
    add_key(w.manifest, parts, w.manifest.parameter_noise.has_value(), Feature::kParameterNoise, "parameter_noise");
    add(std::ranges::count(w.env_specs.specs, Role::kAction, &Spec::role) != 1, Feature::kSeveralActions,
        w.parts.training.env.info.name, "env");
    add(!w.mode.remembered.empty(), Feature::kRememberingPolicy, "the policy", "policy");
    add(!w.manifest.hooks.empty(), Feature::kHooks, "[[hooks]]", "hooks");
    if (w.procedure != nullptr && !w.acts_by_graph()) {
        add(w.manifest.eval.actions == "mean", Feature::kMeanActions, "eval.actions", "eval.actions");
        for (const graph::ColumnTransform& transform : w.transforms) {
            parts.push_back({.feature = Feature::kGraphTransform,
                             .subject = transform.unit.component,
                             .place = transform.unit.place});
        }
    }
}

namespace {

PresentParts collecting_parts(const Wiring& wiring, const Lanes& lanes) {
    PresentParts parts;
    add_pace_parts(wiring.manifest, parts);
    add_shard_parts(wiring, parts);
    add_collector_parts(wiring, parts);
    add_task_parts(wiring, parts);
    add_env_parts(wiring, lanes, parts);
    add_acting_parts(wiring, parts);
    add_buffer_parts(wiring, parts);
    return parts;
}

}  // namespace

void check_collecting_parts(const Wiring& wiring, const Lanes& lanes, Problems& problems) {
    PresentParts parts = collecting_parts(wiring, lanes);
    add_device_parts(wiring, parts);
    refuse_combinations(parts, problems);
}

void check_all_parts(const Wiring& wiring, const Lanes& lanes, Problems& problems) {
    PresentParts parts = collecting_parts(wiring, lanes);
    add_objective_parts(wiring, parts);
    refuse_combinations(parts, problems);
}

}  // namespace tenon
