// SPDX-License-Identifier: Apache-2.0
#include "train/plan/acting_versions.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "train/plan/schedules.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

// Parameter noise compares actions with and without noise for each state, and adapts one scale.
void check_parameter_noise(const Wiring& w, Problems& problems) {
    if (!w.manifest.parameter_noise) {
        return;
    }
    const auto refuse = [&](const std::string& why) {
        problems.push_back(input_problem("[parameter_noise] " + why, place_of(w.manifest, "parameter_noise")));
    };
    if (w.procedure != nullptr) {
        refuse("adds noise to a network's parameters, but " + w.procedure->info.name + " has none");
    } else if (w.env_specs.find("action") == nullptr) {
        refuse("compares actions of one column, but the env takes several");
    } else if (!w.mode.remembered.empty()) {
        refuse("compares actions state by state, but the policy has a memory");
    }
    if (w.manifest.parameter_noise->target > 0 && schedule_of(w.manifest, "parameter_noise.sigma") != nullptr) {
        problems.push_back(
            input_problem("schedule.parameter_noise.sigma changes what parameter_noise.target adapts; schedule that "
                          "instead, or set it to 0",
                          place_of(w.manifest, "schedule.parameter_noise.sigma")));
    }
}

// While frames are collected, the parameters that act may be older than the newest ones.
void check_lag(const Wiring& w, Problems& problems) {
    if (w.lag() == 0) {
        return;
    }
    const auto refuse = [&](const std::string& why) {
        problems.push_back(input_problem("collector.lag " + why, place_of(w.manifest, "collector.lag")));
    };
    if (w.procedure != nullptr) {
        refuse("is for networks that learn, but " + w.procedure->info.name + ", which acts, has no parameters");
    } else if (w.objectives.empty()) {
        refuse("lets acting lag behind learning, but the run has no [objective]");
    } else if (w.manifest.parameter_noise) {
        refuse("and [parameter_noise] both choose the parameters that act; remove one of them");
    }
}

// If updates do not run while lanes step, only collector.lag makes acting use older parameters.
void check_max_lag(const Wiring& w, Problems& problems) {
    if (!w.manifest.collector || !w.manifest.collector->max_lag) {
        return;
    }
    const auto refuse = [&](const std::string& why, std::string help) {
        problems.push_back(
            input_problem("collector.max_lag " + why, place_of(w.manifest, "collector.max_lag"), std::move(help)));
    };
    if (!w.collects_async()) {
        refuse("bounds the updates that are made while frames are collected, but with collector.kind = \"" +
                   w.manifest.collector->kind + "\" there are none",
               "set collector.kind = \"async\" or \"processes\", or remove max_lag");
    } else if (w.lag() > 0) {
        refuse("and collector.lag both say how old the parameters are that act", "remove one of them");
    } else if (w.procedure != nullptr) {
        refuse("is for networks that learn, but " + w.procedure->info.name + ", which acts, has no parameters",
               "remove max_lag");
    }
}

// While another thread collects, samplers see the frames collected before, and nothing else may read or write the
// storage.
void check_collects_async(const Wiring& w, Problems& problems) {
    if (!w.collects_async()) {
        return;
    }
    const auto refuse = [&](const std::string& why, const std::string& key, std::string help = {}) {
        problems.push_back(input_problem("collector.kind = \"" + w.manifest.collector->kind + "\" " + why,
                                         place_of(w.manifest, key), std::move(help)));
    };
    if (w.objectives.empty()) {
        refuse("collects while the run learns, but the run has no [objective]", "collector.kind");
    } else if (w.manifest.parameter_noise) {
        refuse("and [parameter_noise] both choose the parameters that act; remove one of them", "collector.kind");
    }
    if (!w.manifest.hooks.empty()) {
        refuse("cannot be combined with [[hooks]], which need frames and updates in their order", "collector.kind");
    }
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.by_batch()) {
            refuse("is for objectives that learn from a buffer, but " + plan.unit.component +
                       " learns from the frames of its round",
                   "collector.kind", "to act with earlier parameters, set collector.lag");
        } else if (plan.prepare.exists()) {
            refuse("cannot be combined with " + plan.unit.component + ", which computes columns of new frames",
                   "collector.kind");
        }
    }
    const BufferPlan* const buffer = w.collecting();
    const std::int64_t steps = w.manifest.train.batch / std::max<std::int64_t>(w.manifest.env.lanes, 1);
    if (buffer != nullptr && !buffer->keeps() && storage_slots(w) - 1 <= 2 * steps) {
        refuse("needs a buffer of more than two rounds, which are " + std::to_string(2 * w.manifest.train.batch) +
                   " frames, for the oldest frames make room while the updates are made",
               buffer->table->component.path + ".capacity");
    }
}

}  // namespace

void check_versions(const Wiring& w, Problems& problems) {
    check_parameter_noise(w, problems);
    check_lag(w, problems);
    check_max_lag(w, problems);
    check_collects_async(w, problems);
}

void wire_versions(Wiring& w) {
    const std::string version = w.acts_by_version() ? "behaviour" : w.manifest.parameter_noise ? "perturbed" : "";
    if (version.empty()) {
        return;
    }
    w.act = with_version(std::move(w.act), version);
    for (const std::string& role : networks_of(w.act.graph)) {
        w.layouts.copies.emplace(role, parameter_slab(version));
    }
}

}  // namespace tenon
