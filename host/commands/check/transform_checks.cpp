// SPDX-License-Identifier: Apache-2.0
#include "commands/check/transform_checks.hpp"

#include <array>
#include <string>

#include "base/data/spec_abi.hpp"
#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "commands/check/tailed.hpp"

namespace tenon {
namespace {

Verdict check_transform_describe(const CheckSubject& subject) {
    const auto bench = Workbench::open(subject);
    if (!bench) {
        return failed(bench.error());
    }
    const auto one = TransformedWorld::make(**bench, 1);
    if (!one) {
        return one.error().fault == Fault::kInput
                   ? skipped("it accepts none of the synthetic envs, so nothing can be checked: " +
                             one.error().sentence)
                   : failed(one.error());
    }
    const auto other = TransformedWorld::make(**bench, 2);
    if (!other) {
        return failed(other.error());
    }
    if (!((*one)->outer() == (*other)->outer())) {
        return failed("two instances with the same options describe the same columns differently");
    }
    const Callee<tn_transform_api>& transform = (*one)->transform();
    const SpecTable table((*one)->inner());
    Tailed<tn_transform_info> exact({}, false);
    if (Status status = transform.call("describe", transform.api->describe, table.data(), table.size(), &exact.value);
        !status) {
        return failed(status.error());
    }
    return exact.is_whole() ? passed() : failed("describe writes past the struct_size that the host has set");
}

constexpr std::array<Check, 16> kTransformChecks = {{
    {.name = "describes columns the same way each time",
     .breaks = "tenon/abi/transform.h: describe",
     .run = check_transform_describe,
     .gate = Gate::kAll},
    {.name = "takes part in episodes and steps",
     .breaks = "tenon/abi/transform.h: apply",
     .run = check_env_first_step,
     .gate = Gate::kAll},
    {.name = "the same columns give the same bytes",
     .breaks = "tenon/abi/transform.h: apply",
     .run = check_env_same_seeds,
     .gate = Gate::kComparisons},
    {.name = "writes every row that it should",
     .breaks = "tenon/abi/transform.h: apply",
     .run = check_env_written,
     .compares = true},
    {.name = "writes no other row", .breaks = "tenon/abi/transform.h: apply", .run = check_env_own_rows},
    {.name = "respects the strides of its columns",
     .breaks = "tenon/abi/transform.h: bind",
     .run = check_env_layouts,
     .compares = true},
    {.name = "continues after its columns are rebound",
     .breaks = "tenon/abi/transform.h: bind",
     .run = check_env_bound_again,
     .compares = true},
    {.name = "a lane does not depend on other lanes",
     .breaks = "tenon/abi/transform.h: apply",
     .run = check_env_lanes_alone,
     .compares = true},
    {.name = "calls on ranges of lanes equal one call",
     .breaks = "tenon/abi/transform.h: apply",
     .run = check_env_ranges,
     .compares = true},
    {.name = "threads can transform ranges of lanes concurrently",
     .breaks = "tenon/abi/transform.h: apply",
     .run = check_env_threads,
     .compares = true},
    {.name = "a reset leaves other lanes alone",
     .breaks = "tenon/abi/transform.h: TN_TRANSFORM_RESET",
     .run = check_env_reset_mask,
     .compares = true},
    {.name = "its columns are within the specs that it describes",
     .breaks = "tenon/abi/transform.h: describe",
     .run = check_env_specs},
    {.name = "continues after loading as if it had never stopped",
     .breaks = "tenon/abi/state.h: load",
     .run = check_env_saved,
     .compares = true},
    {.name = "equal state gives equal bytes",
     .breaks = "tenon/abi/state.h: save",
     .run = check_env_saved_bytes,
     .compares = true},
    {.name = "does not grow while it runs", .breaks = "tenon/abi/transform.h: apply", .run = check_env_growth},
    {.name = "accepts the larger structs of a newer host",
     .breaks = "tenon/abi/types.h: struct_size",
     .run = check_env_newer_structs,
     .compares = true},
}};

}  // namespace

std::span<const Check> transform_checks() {
    return kTransformChecks;
}

}  // namespace tenon
