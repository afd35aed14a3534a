// SPDX-License-Identifier: Apache-2.0
#include "run/start/lane_run.hpp"

#include <utility>

#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "train/plan/initial_weights.hpp"

namespace tenon {

Result<LaneRun> open_lane_run(TomlTable manifest) {
    Problems problems;
    Setup setup =
        set_up(Document{.root = std::move(manifest), .place = {}}, {.manifest = {}, .restored = true}, problems);
    if (!problems.empty()) {
        return std::move(problems.front());
    }
    Learner learner = TENON_TRY(make_learner(*setup.wiring));
    std::unique_ptr<Executor> executor = TENON_TRY(load_acting_executor(*setup.wiring, learner, setup.host->pool));
    return LaneRun{.host = std::move(setup.host),
                   .wiring = std::move(setup.wiring),
                   .running = std::move(setup.running),
                   .learner = std::move(learner),
                   .executor = std::move(executor)};
}

}  // namespace tenon
