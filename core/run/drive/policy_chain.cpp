// SPDX-License-Identifier: Apache-2.0
#include "run/drive/policy_chain.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/data/state_bytes.hpp"
#include "experience/env/describe.hpp"
#include "experience/replay/callee.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/env_lanes.hpp"
#include "train/plan/units.hpp"

namespace tenon {
namespace {

// Whether a transform needs the column: its options name it, or without the column the transform fails or gives other
// columns.
bool needs(const Part& part, const Callee<tn_transform_api>& transform, const Composite& inner, const Composite& outer,
           const std::string& key) {
    const auto without = [&](Composite specs) {
        std::erase_if(specs.specs, [&](const Spec& spec) { return spec.key == key; });
        return specs;
    };
    if (names_column(part, key)) {
        return true;
    }
    const Result<Composite> others = transformed(transform, without(inner));
    return !others || others->specs != without(outer).specs;
}

// Checks with `transforms`, instances for this check alone, because it asks them about columns that the caller's env
// may lack.
Status check_needs_no_rewards(const Wiring& wiring, const Composite& before, const std::vector<Instance>& transforms) {
    Composite inner = before;
    for (std::size_t i = 0; i < transforms.size(); ++i) {
        const auto transform = Callee<tn_transform_api>::of(transforms[i], "tenon.transform/1");
        Composite outer = TENON_TRY(transformed(transform, inner));
        const Part& part = wiring.parts.training.transforms[i];  // procedures come before graphs
        const auto is_made = [&](const Spec& spec) {
            return spec.role == Role::kObservation && inner.find(spec.key) == nullptr &&
                   wiring.env_specs.find(spec.key) != nullptr;
        };
        const auto is_needed = [&](const Spec& spec) {
            return spec.role == Role::kReward && needs(part, transform, inner, outer, spec.key);
        };
        if (std::ranges::any_of(outer.specs, is_made) && std::ranges::any_of(inner.specs, is_needed)) {
            return input_problem("the policy acts only with its env: its transform " + part.info.name +
                                     " makes an observation of rewards, which callers do not have",
                                 part.table->ref.place);
        }
        inner = std::move(outer);
    }
    return {};
}

}  // namespace

Status load_statistics(StandingPolicy& policy, TransformChain& chain) {
    Lanes& lanes = *policy.setup.running.lanes;
    TENON_TRY(restore_transforms(lanes, policy.checkpoint));
    StateBytes learnt;
    const tn_writer writer = learnt.writer();
    Status saved = lanes.save_common(writer);
    return saved ? chain.load_common(learnt.reader()) : saved;
}

Result<std::optional<TransformChain>> chain_of(StandingPolicy& policy, std::uint32_t seats, const std::string& stream) {
    const EnvParts& parts = policy.wiring().parts.training;
    if (std::ranges::all_of(parts.transforms, is_graph_transform)) {
        return std::optional<TransformChain>();
    }
    const Composite& before = policy.setup.running.lanes->env_info().specs;
    const std::vector<Instance> asked = TENON_TRY(make_transforms(parts, seats, policy.seed, stream));
    TENON_TRY(check_needs_no_rewards(policy.wiring(), before, asked));
    std::vector<Instance> transforms = TENON_TRY(make_transforms(parts, seats, policy.seed, stream));
    TransformChain chain = TENON_TRY(TransformChain::make(std::move(transforms), before, seats));
    TENON_TRY(load_statistics(policy, chain));
    return std::optional<TransformChain>(std::move(chain));
}

}  // namespace tenon
