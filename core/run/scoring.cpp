// SPDX-License-Identifier: Apache-2.0
#include "run/scoring.hpp"

#include <utility>

#include "checkpoint/store.hpp"
#include "run/executor.hpp"
#include "run/folder.hpp"
#include "run/setup.hpp"
#include "train/snapshot.hpp"

namespace tenon {
namespace {

Result<Score> score(const ScoringRequest& request, Setup& setup, const std::filesystem::path& checkpoint) {
    Wiring& wiring = *setup.wiring;
    Result<Learner> learner = make_learner(wiring);
    if (!learner) {
        return std::move(learner).error();
    }
    if (Status restored = restore_weights(*learner, checkpoint); !restored) {
        return std::move(restored).error();
    }
    if (Status restored = restore_transforms(*wiring.lanes, checkpoint); !restored) {
        return std::move(restored).error();
    }
    std::optional<LoadedExecutor> executor;
    if (wiring.acts_by_graph()) {
        Result<LoadedExecutor> loaded = load_executor(wiring.manifest.run.executor, wiring.real());
        if (!loaded) {
            return std::move(loaded).error();
        }
        executor.emplace(std::move(*loaded));
    }
    const EvalTable& eval = wiring.manifest.eval;
    const std::int64_t seed = request.seed.value_or(eval.seed.value_or(wiring.manifest.run.seed));
    Result<std::unique_ptr<Evaluator>> evaluator =
        Evaluator::make(wiring, *setup.host, executor ? executor->executor.get() : nullptr, *learner,
                        request.episodes.value_or(eval.episodes), static_cast<std::uint64_t>(seed));
    if (!evaluator) {
        return std::move(evaluator).error();
    }
    return (*evaluator)->run();
}

}  // namespace

std::optional<Score> score_checkpoint(const ScoringRequest& request, Problems& problems) {
    if (Status there = check_holds_run(request.folder); !there) {
        problems.push_back(std::move(there).error());
        return std::nullopt;
    }
    Result<Checkpoint> checkpoint = find_checkpoint(request.folder / "checkpoints", request.checkpoint);
    if (!checkpoint) {
        problems.push_back(std::move(checkpoint).error());
        return std::nullopt;
    }
    Setup setup = set_up(
        {.manifest = request.folder / "manifest.lock.toml", .overrides = {}, .plugins = request.plugins}, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    Result<Score> result = score(request, setup, checkpoint->folder);
    if (!result) {
        problems.push_back(std::move(result).error());
        return std::nullopt;
    }
    return *result;
}

}  // namespace tenon
