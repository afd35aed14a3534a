// SPDX-License-Identifier: Apache-2.0
#include "run/drive/policy_chain.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/data/state_bytes.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/env_lanes.hpp"
#include "train/plan/units.hpp"

namespace tenon {
namespace {

Status check_needs_no_rewards(const Wiring& wiring, const Composite& before) {
    for (const Part& part : wiring.parts.training.transforms) {
        const auto is_named = [&](const Spec& spec) {
            return spec.role == Role::kReward && names_column(part, spec.key);
        };
        if (is_graph_transform(part) || std::ranges::none_of(before.specs, is_named)) {
            continue;
        }
        const auto makes = [&](const Spec& spec) {
            return spec.role == Role::kObservation && before.find(spec.key) == nullptr && names_column(part, spec.key);
        };
        if (std::ranges::any_of(wiring.env_specs.specs, makes)) {
            return input_problem("the policy acts only beside its env: its transform " + part.info.name +
                                     " makes an observation of rewards, which callers do not have",
                                 part.table->ref.place);
        }
    }
    return {};
}

// What the lanes of training have read from the checkpoint.
Status load_statistics(TransformChain& chain, Lanes& lanes, const std::filesystem::path& checkpoint) {
    if (Status restored = restore_transforms(lanes, checkpoint); !restored) {
        return restored;
    }
    StateBytes learnt;
    const tn_writer writer = learnt.writer();
    Status saved = lanes.save_common(writer);
    return saved ? chain.load_common(learnt.reader()) : saved;
}

}  // namespace

Result<std::optional<TransformChain>> chain_of(StandingPolicy& policy, std::uint32_t seats, const std::string& stream) {
    const EnvParts& parts = policy.wiring().parts.training;
    if (std::ranges::all_of(parts.transforms, is_graph_transform)) {
        return std::optional<TransformChain>();
    }
    Lanes& lanes = *policy.setup.running.lanes;
    const Composite& before = lanes.env_info().specs;
    if (Status suits = check_needs_no_rewards(policy.wiring(), before); !suits) {
        return suits.error();
    }
    Result<std::vector<Instance>> transforms = make_transforms(parts, seats, policy.seed, stream);
    if (!transforms) {
        return std::move(transforms).error();
    }
    Result<TransformChain> chain = TransformChain::make(std::move(*transforms), before, seats);
    if (!chain) {
        return std::move(chain).error();
    }
    if (Status loaded = load_statistics(*chain, lanes, policy.checkpoint); !loaded) {
        return std::move(loaded).error();
    }
    return std::optional<TransformChain>(*std::move(chain));
}

}  // namespace tenon
