// SPDX-License-Identifier: Apache-2.0
#include "run/drive/drive_policy.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "run/sessions/opened_run.hpp"
#include "run/start/executor.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/units.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

std::unique_ptr<DrivePolicy> DrivePolicy::open(const ScoringRequest& request, std::uint32_t lanes, Problems& problems) {
    RunRequest run{.folder = request.folder, .checkpoint = request.checkpoint, .plugins = request.plugins};
    if (request.actions) {
        run.overrides.push_back({"eval.actions=" + *request.actions, "actions"});
    }
    std::optional<OpenedRun> opened = open_run(run, "loaded", [](std::string_view) {}, problems);
    if (!opened) {
        return nullptr;
    }
    std::unique_ptr<DrivePolicy> out(new DrivePolicy);
    out->setup_ = std::move(opened->setup);
    if (Status made = out->make(request, opened->checkpoint.folder.string(), lanes); !made) {
        problems.push_back(std::move(made).error());
        return nullptr;
    }
    return out;
}

Status DrivePolicy::make(const ScoringRequest& request, const std::string& checkpoint, std::uint32_t lanes) {
    Wiring& wiring = *setup_.wiring;
    if (!wiring.acts_by_graph()) {
        return input_problem("the policy of " + request.folder.string() +
                             " is a procedure of its plugin, which acts only beside its env; use `tenon eval`");
    }
    if (!std::ranges::all_of(wiring.parts.training.transforms, is_graph_transform)) {
        return input_problem("the run in " + request.folder.string() +
                             " has transforms that change observations beside the env; its policy acts only there: use "
                             "`tenon eval`");
    }
    Result<Learner> learner = learner_at(wiring, checkpoint);
    if (!learner) {
        return std::move(learner).error();
    }
    learner_.emplace(std::move(*learner));
    const Result<Origin> origin = origin_of(checkpoint);
    if (!origin) {
        return origin.error();
    }
    Result<std::unique_ptr<Executor>> executor = load_executor_of(wiring, setup_.host->pool, origin->executor);
    if (!executor) {
        return std::move(executor).error();
    }
    executor_ = std::move(*executor);
    Result<Storage> storage = Storage::make(storage_columns(wiring.env_specs), 2, lanes);
    if (!storage) {
        return std::move(storage).error();
    }
    storage_.emplace(std::move(*storage));
    move_schedules(wiring, origin->standing);
    numbers_ = numbers_at(wiring, origin->standing);
    const auto seed = static_cast<std::uint64_t>(request.seed.value_or(wiring.manifest.run.seed));
    Result<Actor> actor = Actor::make(wiring.evaluating(), seed, *executor_, *learner_, *storage_, wiring.env_specs);
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
    Status acted = actor_->act(*storage_, numbers_, steps_++);
    numbers_.same_parameters = true;
    std::memset(row_at(storage_->find("is_init")->view, storage_->head(), 0), 0, storage_->lanes());
    return acted;
}

}  // namespace tenon
