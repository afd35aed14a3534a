// SPDX-License-Identifier: Apache-2.0
// Ends a run whose evaluations have reached a return several times in a row.
#include <cstdint>

#include <tenon/hook.hpp>

struct Halt {
    double goal;
    std::int64_t times;

    static constexpr auto options =
        std::tuple{tenon::option<&Halt::goal>("goal", 90.0, "the mean return to reach"),
                   tenon::option<&Halt::times>("times", 2, "[1,1e9]", "how many evaluations in a row must reach it")};

    std::int64_t reached = 0;  // in a row; saved with the run, like every member

    static tenon::HookPlan plan() { return {.reads = {"eval/mean_reward"}, .metrics = {"reached"}}; }

    // Other functions with the same parameter: started, collected, updated, checkpoint, ended.
    void evaluated(const tenon::HookCall& run) {
        reached = run.metric(0) >= goal ? reached + 1 : 0;
        run.report(0, static_cast<double>(reached));
        if (reached >= times) {
            run.stop("the return has stayed at its goal");
        }
    }
};

TENON_PLUGIN("halt", "0.1.0", tenon::hook<Halt>("halt", "ends a run that has reached a return"));
