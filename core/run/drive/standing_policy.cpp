// SPDX-License-Identifier: Apache-2.0
#include "run/drive/standing_policy.hpp"

#include <utility>

#include "compute/parameters/device_copies.hpp"
#include "run/sessions/opened_run.hpp"
#include "run/start/executor.hpp"
#include "train/loop/snapshot.hpp"
#include "train/progress/standing.hpp"

namespace tenon {
namespace {

void take_numbers(StandingPolicy& out, const Standing& standing) {
    out.live = live_at(out.wiring().live, standing);
    out.numbers = numbers_at(out.wiring(), standing, out.live);
    out.frames = standing.frames;
}

Status restore(StandingPolicy& out, const ScoringRequest& request) {
    const Wiring& wiring = out.wiring();
    if (!wiring.acts_by_graph()) {
        return input_problem("the policy of " + request.folder.string() +
                             " is a procedure of its plugin, which acts only with its env; use `tenon eval`");
    }
    out.learner.emplace(TENON_TRY(learner_at(wiring, out.checkpoint)));
    const Origin origin = TENON_TRY(origin_of(out.checkpoint));
    out.executor = TENON_TRY(load_executor_of(wiring, out.setup.host->pool, origin.executor));
    take_numbers(out, origin.standing);
    out.seed = static_cast<std::uint64_t>(request.seed.value_or(wiring.manifest.run.seed));
    return {};
}

}  // namespace

std::unique_ptr<StandingPolicy> open_standing_policy(const ScoringRequest& request, std::string_view done,
                                                     const Notice& notice, Problems& problems) {
    RunRequest run{.folder = request.folder, .checkpoint = request.checkpoint, .plugins = request.plugins};
    if (request.actions) {
        run.overrides.push_back({"eval.actions=" + *request.actions, "actions"});
    }
    std::optional<OpenedRun> opened = open_run(run, done, notice, problems);
    if (!opened) {
        return nullptr;
    }
    auto out = std::make_unique<StandingPolicy>();
    out->setup = std::move(opened->setup);
    out->checkpoint = std::move(opened->checkpoint.folder);
    return is_done(restore(*out, request), problems) ? std::move(out) : nullptr;
}

Status move_to(StandingPolicy& policy, const std::filesystem::path& checkpoint) {
    const Origin origin = TENON_TRY(origin_of(checkpoint));
    TENON_TRY(restore_weights(*policy.learner, checkpoint));
    changed_on_host(*policy.learner);
    take_numbers(policy, origin.standing);
    policy.checkpoint = checkpoint;
    return {};
}

}  // namespace tenon
