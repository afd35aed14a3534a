// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/data/key.hpp"
#include "train/plan/buffer_plan.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/programs.hpp"
#include "train/plan/wiring.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

double minibatches_of_round(const Wiring& w, const TrainTable& train) {
    const double updates = train.updates_per_frame
                               ? *train.updates_per_frame * static_cast<double>(w.manifest.train.batch)
                               : static_cast<double>(train.updates_per_batch.value_or(1));
    return updates * static_cast<double>(train.accumulate);
}

// Minibatches come from some of the buffers. So only parts of these buffers and of the objective can prevent
// prefetching.
void add_prefetch(const Wiring& w, const ObjectivePlan& plan, const std::string& objective, PresentParts& parts) {
    const BufferPlan* const asking = prefetching_buffer(w, plan);
    if (asking == nullptr) {
        return;
    }
    const std::string key = asking->table->component.path + ".prefetch";
    std::vector<std::string> of = {objective};
    if (!plan.by_batch()) {  // otherwise the objective itself is the reason
        for (const BufferPlan* const buffer : minibatch_buffers(w, plan)) {
            of.push_back(buffer->table->component.path);
        }
        add_part(parts, !plan.train.total_updates && minibatches_of_round(w, plan.train) < 2,
                 {.feature = Feature::kOneMinibatch,
                  .subject = "each round",
                  .place = place_of(w.manifest, "train.batch"),
                  .about = objective});
    }
    parts.push_back(
        {.feature = Feature::kPrefetch, .subject = key, .place = place_of(w.manifest, key), .of = std::move(of)});
}

// If a row has several steps, the reward under "next." is only that of the last step.
void add_rows_of_steps(const Wiring& w, const ObjectivePlan& plan, PresentParts& parts) {
    if (plan.by_batch()) {
        return;
    }
    const BufferPlan& buffer = w.buffers[*plan.batches.front().buffer];
    const auto gathers = [&](const std::string& key) {
        const GatherLine* const line = buffer.sampling.line_for(key);
        return line != nullptr && line->names_column();
    };
    const bool of_agents =
        !plan.unit.group.empty() && gathers(graph::key_in_group(plan.unit.group, next_key("rewards")));
    const auto key_of = [&](const char* key) {
        return of_agents ? graph::key_in_group(plan.unit.group, next_key(key)) : next_key(key);
    };
    const std::string rewards = key_of("rewards");
    if (!gathers(rewards)) {
        return;
    }
    const auto reads = [&](std::string_view key) {
        return std::ranges::find(plan.update.inputs, key, &Port::key) != plan.update.inputs.end();
    };
    const auto leaves = std::ranges::find_if(plan.columns, [&](const graph::Column& column) {
        const Spec& spec = column.spec;
        const bool says = spec.role == Role::kEnd || (!spec.group.empty() && spec.key == spec.group + ".present");
        // A sampler that looks at such a column ends rows there.
        return says && reads(spec.key) &&
               std::ranges::find(buffer.sampling.reads, without_next(spec.key), &ColumnRead::key) ==
                   buffer.sampling.reads.end();
    });
    if (leaves != plan.columns.end()) {
        parts.push_back({.feature = Feature::kLeavingAgents,
                         .subject = "agents",
                         .place = plan.unit.place,
                         .of = {plan.unit.component},
                         .clause = "agents leave between two steps, as '" + leaves->spec.key + "' says"});
    } else if (reads(key_of("reward")) && !reads(rewards)) {
        parts.push_back({.feature = Feature::kReadsReward,
                         .subject = plan.unit.component,
                         .place = plan.unit.place,
                         .of = {plan.unit.component}});
    }
    parts.push_back({.feature = Feature::kRowsOfSteps,
                     .subject = buffer.sampling.sampler,
                     .place = buffer.table->component.ref.place,
                     .about = plan.unit.component});
}

// What an objective does that only batches or only collected frames allow.
void add_sampled(const Wiring& w, const ObjectivePlan& plan, const std::string& objective, PresentParts& parts) {
    const std::string& buffer = w.buffers[*plan.batches.front().buffer].table->component.path;
    const auto controls = mapped<std::string>(plan.update.graph.controls, &graph::Named::name);
    const auto add = [&](bool has, Feature feature, const std::string& about, const std::string& clause) {
        add_part(parts, has,
                 {.feature = feature,
                  .subject = plan.unit.component,
                  .place = plan.unit.place,
                  .about = about,
                  .of = {about},
                  .clause = clause});
    };
    const bool stops = std::ranges::find(controls, kStopEpochs) != controls.end();
    add(stops, Feature::kSampledObjective, objective, "this run samples from [" + buffer + "]");
    add(stops, Feature::kStopsEpochs, objective, plan.unit.component + " controls the run ('stop_epochs')");
    add(plan.prepare.exists(), Feature::kStore, buffer, "");
}

// What [train] says about the beginning of sequences, and why the objective cannot do it.
void add_beginnings(const Wiring& w, const ObjectivePlan& plan, PresentParts& parts) {
    const TrainTable& train = plan.train;
    const auto add = [&](bool has, Feature feature) {
        add_part(parts, has,
                 {.feature = feature,
                  .subject = plan.unit.component,
                  .place = plan.unit.place,
                  .about = plan.unit.component});
    };
    add_key(w.manifest, parts, train.burn_in > 0, Feature::kBeginning, "train.burn_in", std::to_string(train.burn_in));
    add_key(w.manifest, parts, train.initial_memory.has_value(), Feature::kBeginning, "train.initial_memory",
            '"' + train.initial_memory.value_or("") + '"');
    const bool by_frames = sequence_length(w, plan) == 0;
    const auto memories = memory_columns(w.act, w.real());
    add(by_frames, Feature::kSingleFrames);
    add(!by_frames && std::ranges::none_of(memories,
                                           [&](const graph::Column& memory) {
                                               return std::ranges::find(plan.update.inputs, memory.spec.key,
                                                                        &Port::key) != plan.update.inputs.end();
                                           }),
        Feature::kNoMemory);
}

// Minibatches whose gradients are averaged all precede the step, and so does the decision to leave one out.
void add_reads_of_steps(const Wiring& w, const ObjectivePlan& plan, PresentParts& parts) {
    add_key(w.manifest, parts, plan.train.accumulate > 1, Feature::kAccumulates, "train.accumulate",
            std::to_string(plan.train.accumulate));
    add_key(w.manifest, parts, plan.update.leaves_out, Feature::kLeavesOut, "train.on_not_finite",
            '"' + plan.train.on_not_finite + '"');
    for (const graph::Node& node : plan.update.graph.nodes) {
        if (!node.is(graph::OpId::kParameter_1) && !node.is(graph::OpId::kState_1)) {
            continue;
        }
        const std::string& version = graph::string_attribute(node, "version");
        if (!version.empty() && version != "start") {
            parts.push_back(
                part_of(Feature::kReadsStep, plan,
                        plan.unit.component + " reads parameters after the step of its stage '" + version + "'"));
            return;
        }
    }
}

}  // namespace

void add_objective_parts(const Wiring& w, PresentParts& parts) {
    for (const ObjectivePlan& plan : w.objectives) {
        const std::string objective = plan.name.empty() ? "objective" : "objective." + plan.name;
        const auto add = [&](bool has, Feature feature) {
            add_part(
                parts, has,
                {.feature = feature, .subject = plan.unit.component, .place = plan.unit.place, .about = objective});
        };
        add(plan.by_batch(), Feature::kBatchObjective);
        if (!plan.by_batch()) {
            add_sampled(w, plan, objective, parts);
        }
        add_prefetch(w, plan, objective, parts);
        add_rows_of_steps(w, plan, parts);
        add_reads_of_steps(w, plan, parts);
        add_beginnings(w, plan, parts);
    }
    for (const HookPlan& hook : w.hooks) {
        add_part(parts, !hook.columns.empty() || hook.events == TN_HOOK_COLLECTED,
                 {.feature = Feature::kFrameHook, .subject = hook.component, .place = hook.place});
    }
    add_key(w.manifest, parts, w.manifest.train.episodes && w.learns_by_batch(), Feature::kEpisodesOfBatch,
            "train.episodes");
}

}  // namespace tenon
