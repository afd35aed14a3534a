// SPDX-License-Identifier: Apache-2.0
#include "run/drive/drive_policy.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "train/plan/units.hpp"

namespace tenon {

std::unique_ptr<DrivePolicy> DrivePolicy::open(const ScoringRequest& request, std::uint32_t lanes, Problems& problems) {
    std::unique_ptr<DrivePolicy> out(new DrivePolicy);
    out->policy_ = open_standing_policy(request, "loaded", [](std::string_view) {}, problems);
    if (!out->policy_) {
        return nullptr;
    }
    if (Status made = out->make(request, lanes); !made) {
        problems.push_back(std::move(made).error());
        return nullptr;
    }
    return out;
}

Status DrivePolicy::make(const ScoringRequest& request, std::uint32_t lanes) {
    const Wiring& wiring = policy_->wiring();
    if (!std::ranges::all_of(wiring.parts.training.transforms, is_graph_transform)) {
        return input_problem("the run in " + request.folder.string() +
                             " has transforms that change observations beside the env; its policy acts only there: use "
                             "`tenon eval`");
    }
    Result<Storage> storage = Storage::make(storage_columns(wiring.env_specs), 2, lanes);
    if (!storage) {
        return std::move(storage).error();
    }
    storage_.emplace(std::move(*storage));
    Result<Actor> actor = Actor::make(wiring.evaluating(), policy_->seed, *policy_->executor, *policy_->learner,
                                      *storage_, wiring.env_specs);
    if (!actor) {
        return std::move(actor).error();
    }
    actor_.emplace(std::move(*actor));
    begin(nullptr);
    return {};
}

void DrivePolicy::begin(const std::uint8_t* mask) {
    storage_->begin_episodes(mask);
}

Status DrivePolicy::act() {
    Status acted = actor_->act(*storage_, policy_->numbers, steps_++);
    policy_->numbers.same_parameters = true;
    std::memset(row_at(storage_->find("is_init")->view, storage_->head(), 0), 0, storage_->lanes());
    return acted;
}

}  // namespace tenon
