// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <array>
#include <string>
#include <vector>

#include "base/data/spec_abi.hpp"
#include "base/data/state_bytes.hpp"
#include "base/error/listed.hpp"
#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "commands/check/tailed.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

Verdict check_transform_describe(const CheckSubject& subject) {
    const auto bench = TENON_TRY(Workbench::open(subject));
    const auto one = TransformedWorld::make(*bench, 1);
    if (!one) {
        return one.error().fault == Fault::kInput
                   ? skipped("it accepts none of the synthetic envs, so nothing can be checked: " +
                             one.error().sentence)
                   : failed(one.error());
    }
    const auto other = TENON_TRY(TransformedWorld::make(*bench, 2));
    if (!((*one)->outer() == other->outer())) {
        return failed("two instances with the same options describe the same columns differently");
    }
    const Callee<tn_transform_api>& transform = (*one)->transform();
    const SpecTable table((*one)->inner());
    Tailed<tn_transform_info> exact({}, false);
    TENON_TRY(transform.call("describe", transform.api->describe, table.data(), table.size(), &exact.value));
    return exact.is_whole() ? passed() : failed("describe writes past the struct_size that the host has set");
}

using Transform = Callee<tn_transform_api>;

Result<StateBytes> common_state(const Transform& transform) {
    StateBytes out;
    const tn_writer writer = out.writer();
    TENON_TRY(transform.call("save", transform.common->save, &writer));
    return out;
}

Status join(const Transform& transform, std::vector<StateBytes> parts) {
    std::vector<tn_reader> readers;
    std::vector<const tn_reader*> addresses;
    readers.reserve(parts.size());
    for (StateBytes& part : parts) {
        readers.push_back(part.reader());
        addresses.push_back(&readers.back());
    }
    return transform.call("join", transform.common->join, addresses.data(),
                          static_cast<std::uint32_t>(addresses.size()));
}

Result<StateBytes> part_of(const Transform& transform) {
    StateBytes out;
    const tn_writer writer = out.writer();
    TENON_TRY(transform.call("part", transform.common->part, &writer));
    return out;
}

// The first drive has all lanes, each of the others one of them. The sentence says what differs.
Result<std::string> joined_differently(Drives& drives) {
    constexpr int kJoins = 3;
    constexpr int kStepsBetween = 12;
    const auto of = [&](std::size_t drive) -> const Transform& { return drives[drive]->world()->transform(); };
    for (std::size_t i = 0; i < drives.size(); ++i) {
        TENON_TRY(join(of(i), {}));
        TENON_TRY(drives[i]->reset());
    }
    for (int joins = 0; joins < kJoins; ++joins) {
        std::vector<StateBytes> parts;
        for (std::size_t i = 0; i < drives.size(); ++i) {
            for (int step = 0; step < kStepsBetween; ++step) {
                TENON_TRY(drives[i]->step());
            }
            parts.push_back(TENON_TRY(part_of(of(i))));
        }
        TENON_TRY(join(of(0), {parts.front()}));
        parts.erase(parts.begin());
        const StateBytes all = TENON_TRY(common_state(of(0)));
        for (std::size_t i = 1; i < drives.size(); ++i) {
            TENON_TRY(join(of(i), parts));
            const StateBytes share = TENON_TRY(common_state(of(i)));
            if (share.data != all.data) {
                return "what " + counted(drives.size() - 1, "instance") +
                       " of one lane each have learnt differs from what one instance with these lanes has learnt";
            }
        }
    }
    return std::string();
}

Verdict check_transform_join(const CheckSubject& subject) {
    const std::vector<DriveShape> shapes = {{.lanes = 4},
                                            {.lanes = 1, .first_lane = 0},
                                            {.lanes = 1, .first_lane = 1},
                                            {.lanes = 1, .first_lane = 2},
                                            {.lanes = 1, .first_lane = 3}};
    return with_drives(subject, shapes, [&](Drives& drives, const Workbench&) {
        const tn_common_api* const common = drives.front()->world()->transform().common;
        if (common == nullptr) {
            return passed();  // what a lane learns is its own
        }
        if (!inside(*common, &tn_common_api::join) || common->part == nullptr || common->join == nullptr) {
            return skipped("it has no join, so it cannot learn in worker processes");
        }
        const Result<std::string> found = joined_differently(drives);
        return !found ? failed(found.error()) : found->empty() ? passed() : failed(*found);
    });
}

constexpr std::array<Check, 17> kTransformChecks = {{
    {"describes columns the same way each time", "tenon/abi/transform.h: describe", check_transform_describe, kGate},
    {"takes part in episodes and steps", "tenon/abi/transform.h: apply", check_env_first_step, kGate},
    {"the same columns give the same bytes", "tenon/abi/transform.h: apply", check_env_same_seeds, kGateOfComparisons},
    {"writes every row that it should", "tenon/abi/transform.h: apply", check_env_written, kCompares},
    {"writes no other row", "tenon/abi/transform.h: apply", check_env_own_rows},
    {"respects the strides of its columns", "tenon/abi/transform.h: bind", check_env_layouts, kCompares},
    {"continues after its columns are rebound", "tenon/abi/transform.h: bind", check_env_bound_again, kCompares},
    {"a lane does not depend on other lanes", "tenon/abi/transform.h: apply", check_env_lanes_alone, kCompares},
    {"calls on ranges of lanes equal one call", "tenon/abi/transform.h: apply", check_env_ranges, kCompares},
    {"threads can transform ranges of lanes concurrently", "tenon/abi/transform.h: apply", check_env_threads,
     kCompares},
    {"a reset leaves other lanes alone", "tenon/abi/transform.h: TN_TRANSFORM_RESET", check_env_reset_mask, kCompares},
    {"its columns are within the specs that it describes", "tenon/abi/transform.h: describe", check_env_specs},
    {"continues after loading as if it had never stopped", "tenon/abi/state.h: load", check_env_saved, kCompares},
    {"equal state gives equal bytes", "tenon/abi/state.h: save", check_env_saved_bytes, kCompares},
    {"learns the same from one instance and from several", "tenon/abi/common.h: join", check_transform_join, kCompares},
    {"does not grow while it runs", "tenon/abi/transform.h: apply", check_env_growth},
    {"accepts the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_env_newer_structs,
     kCompares},
}};

}  // namespace

std::span<const Check> transform_checks() {
    return kTransformChecks;
}

}  // namespace tenon
