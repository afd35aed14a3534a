// SPDX-License-Identifier: Apache-2.0
#include "commands/check/wrapper_checks.hpp"

#include <array>

#include "commands/check/env_checks.hpp"
#include "commands/check/workbench.hpp"
#include "commands/check/wrapped_world.hpp"

namespace tenon {
namespace {

Verdict check_wrapper_suits(const CheckSubject& subject) {
    const auto bench = Workbench::open(subject);
    if (!bench) {
        return failed(bench.error());
    }
    const auto one = WrappedWorld::make(**bench, 1);
    if (!one) {
        return one.error().fault == Fault::kInput
                   ? skipped("it accepts none of the synthetic envs, so nothing can be checked: " +
                             one.error().sentence)
                   : failed(one.error());
    }
    return passed();
}

constexpr std::array<Check, 19> kWrapperChecks = {{
    {.name = "accepts an env", .breaks = "tenon/abi/wrapper.h: attach", .run = check_wrapper_suits, .gate = Gate::kAll},
    {.name = "describes itself the same way each time",
     .breaks = "tenon/abi/env.h: describe",
     .run = check_env_described,
     .gate = Gate::kAll},
    {.name = "begins episodes and steps",
     .breaks = "tenon/abi/wrapper.h: step",
     .run = check_env_first_step,
     .gate = Gate::kAll},
    {.name = "the same seeds and actions give the same bytes",
     .breaks = "tenon/abi/env.h: TN_DETERMINISM_BITS",
     .run = check_env_same_seeds,
     .gate = Gate::kComparisons},
    {.name = "writes every row that it should",
     .breaks = "tenon/abi/wrapper.h: step",
     .run = check_env_written,
     .compares = true},
    {.name = "writes no other row", .breaks = "tenon/abi/wrapper.h: step", .run = check_env_own_rows},
    {.name = "respects the strides of its columns",
     .breaks = "tenon/abi/wrapper.h: bind",
     .run = check_env_layouts,
     .compares = true},
    {.name = "continues after its columns are rebound",
     .breaks = "tenon/abi/wrapper.h: bind",
     .run = check_env_bound_again,
     .compares = true},
    {.name = "a lane does not depend on other lanes",
     .breaks = "tenon/abi/wrapper.h: step",
     .run = check_env_lanes_alone,
     .compares = true},
    {.name = "calls on ranges of lanes equal one call",
     .breaks = "tenon/abi/wrapper.h: step",
     .run = check_env_ranges,
     .compares = true},
    {.name = "threads can step ranges of lanes concurrently",
     .breaks = "tenon/abi/wrapper.h: step",
     .run = check_env_threads,
     .compares = true},
    {.name = "a reset leaves other lanes alone",
     .breaks = "tenon/abi/wrapper.h: reset",
     .run = check_env_reset_mask,
     .compares = true},
    {.name = "flags are 0 or 1 and respect the episode limit",
     .breaks = "tenon/abi/env.h: tn_env_info",
     .run = check_env_flags},
    {.name = "observations and rewards are within their specs",
     .breaks = "tenon/abi/env.h: describe",
     .run = check_env_specs},
    {.name = "continues after loading as if it had never stopped",
     .breaks = "tenon/abi/state.h: load",
     .run = check_env_saved,
     .compares = true},
    {.name = "equal state gives equal bytes",
     .breaks = "tenon/abi/state.h: save",
     .run = check_env_saved_bytes,
     .compares = true},
    {.name = "truncated saved state is refused", .breaks = "tenon/abi/state.h: load", .run = check_env_damaged},
    {.name = "does not grow while it runs", .breaks = "tenon/abi/wrapper.h: step", .run = check_env_growth},
    {.name = "accepts the larger structs of a newer host",
     .breaks = "tenon/abi/types.h: struct_size",
     .run = check_env_newer_structs,
     .compares = true},
}};

}  // namespace

std::span<const Check> wrapper_checks() {
    return kWrapperChecks;
}

}  // namespace tenon
