// SPDX-License-Identifier: Apache-2.0
#include "train/plan/relabelling.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "experience/env/describe.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/units.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

constexpr const char* kElse = "give goal, reward and end by functions in [columns], without relabel_by";

bool is_judged(const BufferPlan& buffer) {
    return buffer.part != nullptr && buffer.table->relabel_by == "env";
}

// Problems of one part: of the key, whatever else the plan has. The matcher has those of two (relabelling_parts).
Problem refusal(const Wiring& w, const BufferPlan& buffer, const std::string& why, std::string help = kElse) {
    const std::string key = buffer.table->component.path + ".relabel_by";
    return input_problem(key + " = \"env\" " + why, place_of(w.manifest, key), std::move(help));
}

// Why the env's function cannot be used; empty if it can.
std::string fault_of_env(const Wiring& w) {
    const Part& env = w.parts.training.env;
    const bool is_apart = env.table->isolation.value_or(w.manifest.plugins.isolation) == "process";
    return env.loaded->offers("tenon.goal/1") ? ""
                                              : "asks the env, but " + env.info.name + " does not offer tenon.goal/1" +
                                                    (is_apart ? " from a separate process" : "");
}

// The buffer's key, and parts of the env that exclude it.
PresentParts relabelling_parts(const Wiring& w, const BufferPlan& buffer) {
    const std::string key = buffer.table->component.path + ".relabel_by";
    PresentParts parts = {
        {.feature = Feature::kRelabelledColumn, .subject = key + " = \"env\"", .place = place_of(w.manifest, key)}};
    add_task_parts(w, parts);
    for (const Part& wrapper : w.parts.training.wrappers) {
        parts.push_back(part_of(Feature::kWrapper, wrapper));
    }
    return parts;
}

// A procedure that may change a column which the env's judgement reads or writes.
const Part* part_that_changes(const Wiring& w, const Lanes& lanes, const GoalJudge& judge) {
    std::size_t procedures = 0;
    for (const Part& part : w.parts.training.transforms) {
        if (is_graph_transform(part)) {
            continue;
        }
        const std::size_t number = procedures++;
        const auto changed = [&](const GoalJudge::Column& column) {
            return may_change(part, lanes, number, std::string(without_next(column.key)));
        };
        if (std::ranges::any_of(judge.columns(), changed)) {
            return &part;
        }
    }
    return nullptr;
}

// A sampler that chooses no goals in hindsight, or takes them from another column than the env.
void check_sampler(const Wiring& w, const BufferPlan& buffer, const GoalInfo& info, PresentParts& parts,
                   Problems& problems) {
    const SamplerPlan& plan = buffer.sampling;
    const GatherLine* const line = plan.line_for(kHindsightGoal);
    const bool says = std::ranges::find(plan.columns, kRelabelled, &Port::key) != plan.columns.end();
    if (line == nullptr || !line->names_column() || !says) {
        parts.push_back({.feature = Feature::kPlainSampler,
                         .subject = plan.sampler,
                         .place = buffer.table->component.ref.place,
                         .clause = plan.sampler + " gives no '" + kHindsightGoal + "' and '" + kRelabelled + "'"});
    } else if (line->source != next_key(info.achieved)) {
        const Present& key = parts.front();
        const std::string asks = key.subject + " asks " + w.parts.training.env.info.name + ", whose goals are what '" +
                                 info.achieved + "' says";
        refuse_combinations(
            {{.feature = key.feature, .subject = key.subject, .place = key.place, .clause = asks},
             {.feature = Feature::kOtherGoals,
              .subject = plan.sampler,
              .place = buffer.table->component.ref.place,
              .clause = plan.sampler + " takes them from '" + std::string(without_next(line->source)) + "'"}},
            problems);
    }
}

// The columns of a row that change when it is relabelled.
std::vector<std::string> written_by(const GoalInfo& info) {
    return {info.desired, next_key(info.desired), next_key(info.reward.key), std::string(kNextTerminated),
            std::string(kNextDone)};
}

// Whether rows of the batch come from the buffer, perhaps as a part of a mixture.
bool comes_from(const Wiring& w, const BatchPlan& batch, const BufferPlan& buffer) {
    if (!batch.buffer) {
        return false;
    }
    const auto is_it = [&](std::size_t index) { return &w.buffers[index] == &buffer; };
    return is_it(*batch.buffer) || std::ranges::any_of(w.buffers[*batch.buffer].mixed, is_it);
}

void check_one(const Wiring& w, const BufferPlan& buffer, const Lanes& lanes, Problems& problems) {
    PresentParts parts = relabelling_parts(w, buffer);
    const std::size_t before = problems.size();
    refuse_combinations(parts, problems);
    if (problems.size() != before) {
        return;
    }
    if (const std::string fault = fault_of_env(w); !fault.empty()) {
        problems.push_back(refusal(w, buffer, fault));
        return;
    }
    const Result<std::optional<GoalJudge>> judge = make_goal_judge(w, buffer);
    if (!is_done(judge, problems)) {
        return;
    }
    if (const Part* const part = part_that_changes(w, lanes, **judge); part != nullptr) {
        parts.push_back(part_of(Feature::kGoalTransform, *part));
    }
    check_sampler(w, buffer, (*judge)->info(), parts, problems);
    const std::vector<std::string> written = written_by((*judge)->info());
    for (const StandInTable& table : w.manifest.columns) {
        if (std::ranges::find(written, table.key) != written.end()) {
            parts.push_back({.feature = Feature::kStandIn, .subject = "columns." + table.key, .place = table.place});
        }
    }
    refuse_combinations(parts, problems);
}

}  // namespace

Result<std::optional<GoalJudge>> make_goal_judge(const Wiring& w, const BufferPlan& buffer) {
    if (!is_judged(buffer)) {
        return std::optional<GoalJudge>();
    }
    const Part& part = w.parts.training.env;
    Instance env = TENON_TRY(instantiate(part, 1, w.seed(), "judge/"));
    const EnvInfo info = TENON_TRY(describe_env(Callee<tn_env_api>::of(env, "tenon.env/1")));
    GoalJudge judge = TENON_TRY(GoalJudge::make(std::move(env), info.specs));
    return std::optional<GoalJudge>(std::move(judge));
}

void check_relabelling(const Wiring& w, const Lanes& lanes, Problems& problems) {
    for (const BufferPlan& buffer : w.buffers) {
        if (is_judged(buffer)) {
            check_one(w, buffer, lanes, problems);
        }
    }
}

void check_relabelled_is_read(const Wiring& w, Problems& problems) {
    for (const BufferPlan& buffer : w.buffers) {
        const Result<std::optional<GoalJudge>> judge = make_goal_judge(w, buffer);
        if (!judge || !*judge) {
            continue;
        }
        const std::vector<std::string> written = written_by((*judge)->info());
        const auto is_read = [&](const ObjectivePlan& plan) {
            return std::ranges::any_of(plan.batches, [&](const BatchPlan& batch) {
                return comes_from(w, batch, buffer) && std::ranges::any_of(written, [&](const std::string& key) {
                           return plan.reads(batch.prefix + key);
                       });
            });
        };
        if (std::ranges::none_of(w.objectives, is_read)) {
            problems.push_back(refusal(w, buffer,
                                       "has no effect: it changes " + listed(written) +
                                           ", which no objective reads from [" + buffer.table->component.path + "]",
                                       "remove it"));
        }
    }
}

}  // namespace tenon
