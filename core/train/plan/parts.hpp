// SPDX-License-Identifier: Apache-2.0
// The components that a manifest names: finds them, checks their options against their notes, and loads them.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/manifest.hpp"
#include "plugins/plugin/instance.hpp"
#include "plugins/plugin/registry.hpp"

namespace tenon {

struct Part {
    const ComponentTable* table = nullptr;  // of the manifest, which must outlive the parts
    ComponentInfo info;
    std::vector<OptionValue> values;  // one per option of the schema
    std::optional<LoadedComponent> loaded;

    [[nodiscard]] const std::vector<OptionSchema>& schema() const { return info.note->options; }
};

// An env with its wrappers and transforms.
struct EnvParts {
    Part env;                                        // the first of the tasks, if there are any
    std::vector<Part> tasks;                         // as EnvTable::tasks
    const std::vector<TaskTable>* tables = nullptr;  // of the tasks
    std::string task_column;
    std::vector<Part> wrappers;
    std::vector<Part> transforms;
};

// Calls f for the env or its tasks, its wrappers and its transforms.
template <class SomeParts, class F>
    requires std::same_as<std::remove_const_t<SomeParts>, EnvParts>
void each_part(SomeParts& parts, F f) {
    if (parts.tasks.empty()) {
        f(parts.env);
    }
    for (auto* list : {&parts.tasks, &parts.wrappers, &parts.transforms}) {
        for (auto& part : *list) {
            f(part);
        }
    }
}

struct Parts {
    EnvParts training;
    std::vector<Part> policies;                // as Manifest::policies
    std::vector<Part> explorations;            // as Manifest::explorations
    std::vector<std::optional<Part>> buffers;  // as Manifest::buffers; none for a mixture
    std::vector<std::vector<Part>> sampled;    // the transforms of the rows that each of them samples
    std::vector<Part> objectives;
    std::vector<Part> hooks;            // as Manifest::hooks
    std::vector<EnvParts> evaluations;  // as EvalTable::envs
};

// Calls f for every part: those of the training env, policies, objectives, hooks, exploration, buffers, and those of
// evaluations.
template <class SomeParts, class F>
    requires std::same_as<std::remove_const_t<SomeParts>, Parts>
void each_part(SomeParts& parts, F f) {
    each_part(parts.training, f);
    for (auto* list : {&parts.policies, &parts.objectives, &parts.hooks, &parts.explorations}) {
        for (auto& part : *list) {
            f(part);
        }
    }
    for (auto& buffer : parts.buffers) {
        if (buffer) {
            f(*buffer);
        }
    }
    for (auto& list : parts.sampled) {
        for (auto& part : list) {
            f(part);
        }
    }
    for (auto& evaluation : parts.evaluations) {
        each_part(evaluation, f);
    }
}

// Reads only notes and loads nothing. Adds every problem; a part with a problem must not be used.
Parts find_parts(const Manifest& manifest, const Registry& registry, Problems& problems);

// Loads the libraries of all parts except those that run in separate processes.
void load_parts(Parts& parts, const Manifest& manifest, Registry& registry, const tn_host& host, Problems& problems);

// An instance of a loaded part. Its random stream is the part's path ("policy.actor"), prefixed by `stream`.
Result<Instance> instantiate(const Part& part, std::uint32_t lanes, std::uint64_t seed, std::string_view stream);

}  // namespace tenon
