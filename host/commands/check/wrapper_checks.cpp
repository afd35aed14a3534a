// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <array>

#include "commands/check/env_checks.hpp"
#include "commands/check/workbench.hpp"
#include "commands/check/wrapped_world.hpp"

namespace tenon {
namespace {

Verdict check_wrapper_suits(const CheckSubject& subject) {
    const auto bench = TENON_TRY(Workbench::open(subject));
    const auto one = WrappedWorld::make(*bench, 1);
    if (!one) {
        return one.error().fault == Fault::kInput
                   ? skipped("it accepts none of the synthetic envs, so nothing can be checked: " +
                             one.error().sentence)
                   : failed(one.error());
    }
    return passed();
}

constexpr std::array<Check, 19> kWrapperChecks = {{
    {"accepts an env", "tenon/abi/wrapper.h: attach", check_wrapper_suits, kGate},
    {"describes itself the same way each time", "tenon/abi/env.h: describe", check_env_described, kGate},
    {"begins episodes and steps", "tenon/abi/wrapper.h: step", check_env_first_step, kGate},
    {"the same seeds and actions give the same bytes", "tenon/abi/env.h: TN_DETERMINISM_BITS", check_env_same_seeds,
     kGateOfComparisons},
    {"writes every row that it should", "tenon/abi/wrapper.h: step", check_env_written, kCompares},
    {"writes no other row", "tenon/abi/wrapper.h: step", check_env_own_rows},
    {"respects the strides of its columns", "tenon/abi/wrapper.h: bind", check_env_layouts, kCompares},
    {"continues after its columns are rebound", "tenon/abi/wrapper.h: bind", check_env_bound_again, kCompares},
    {"a lane does not depend on other lanes", "tenon/abi/wrapper.h: step", check_env_lanes_alone, kCompares},
    {"calls on ranges of lanes equal one call", "tenon/abi/wrapper.h: step", check_env_ranges, kCompares},
    {"threads can step ranges of lanes concurrently", "tenon/abi/wrapper.h: step", check_env_threads, kCompares},
    {"a reset leaves other lanes alone", "tenon/abi/wrapper.h: reset", check_env_reset_mask, kCompares},
    {"flags are 0 or 1 and respect the episode limit", "tenon/abi/env.h: tn_env_info", check_env_flags},
    {"observations and rewards are within their specs", "tenon/abi/env.h: describe", check_env_specs},
    {"continues after loading as if it had never stopped", "tenon/abi/state.h: load", check_env_saved, kCompares},
    {"equal state gives equal bytes", "tenon/abi/state.h: save", check_env_saved_bytes, kCompares},
    {"truncated saved state is refused", "tenon/abi/state.h: load", check_env_damaged},
    {"does not grow while it runs", "tenon/abi/wrapper.h: step", check_env_growth},
    {"accepts the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_env_newer_structs,
     kCompares},
}};

}  // namespace

std::span<const Check> wrapper_checks() {
    return kWrapperChecks;
}

}  // namespace tenon
