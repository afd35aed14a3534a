// SPDX-License-Identifier: Apache-2.0
#include "commands/check/env_checks.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "commands/check/env_drives.hpp"
#include "commands/check/tailed.hpp"
#include "commands/check/together.hpp"

namespace tenon {
namespace {

Status step_all(EnvDrive& drive) {
    return drive.step();
}

std::string first_two(Drives& drives) {
    return drives[0]->difference(*drives[1]);
}

bool announces_no_determinism(const Drives& drives) {
    return !drives[0]->info().deterministic;
}

Verdict not_deterministic() {
    return skipped("it announces TN_DETERMINISM_NONE");
}

}  // namespace

Verdict check_env_described(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [](Drives& drives, const Workbench&) {
        if (!(drives[0]->info().specs == drives[1]->info().specs) ||
            drives[0]->info().episode_limit != drives[1]->info().episode_limit) {
            return failed("two instances with the same options describe themselves differently");
        }
        tn_env_info info{};
        Tailed<tn_env_info> exact(info, false);
        const Callee<tn_env_api>& env = drives[0]->callee();
        if (Status status = env.call("describe", env.api->describe, &exact.value); !status) {
            return failed(status.error());
        }
        if (!exact.is_whole()) {
            return failed("describe writes past the struct_size that the host has set");
        }
        return passed();
    });
}

Verdict check_env_first_step(const CheckSubject& subject) {
    return with_drives(subject, {{}}, [](Drives& drives, const Workbench&) {
        if (Status status = drives[0]->reset(); !status) {
            return failed(status.error());
        }
        for (int i = 0; i < 3; ++i) {
            if (Status status = drives[0]->step(); !status) {
                return failed(status.error());
            }
        }
        return passed();
    });
}

Verdict check_env_same_seeds(const CheckSubject& subject) {
    return with_drives(subject, {{.fresh = 0x11}, {.fresh = 0xEE}}, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        return side_by_side(subject, drives, step_all, first_two,
                            "two instances with the same seeds and actions differ");
    });
}

Verdict check_env_written(const CheckSubject& subject) {
    return with_drives(subject, {{.fill = 0x11}, {.fill = 0xEE}}, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        return side_by_side(subject, drives, step_all, first_two,
                            "a row that should have been written keeps its old value");
    });
}

Verdict check_env_lanes_alone(const CheckSubject& subject) {
    const std::uint32_t stride = subject.lanes == 7 ? 5 : 7;  // lanes far apart, if few lanes get an instance
    std::vector<DriveShape> shapes = {{}};
    for (std::uint32_t i = 0; i < subject.lanes; ++i) {
        shapes.push_back({.lanes = 1, .first_lane = i * stride % subject.lanes});
    }
    const auto compare = [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        const auto differ = [&](Drives& all) {
            std::string found;
            for (std::size_t i = 1; i < all.size() && found.empty(); ++i) {
                found = all[0]->difference(shapes[i].first_lane, *all[i], 0);
            }
            return found;
        };
        return side_by_side(subject, drives, step_all, differ,
                            "a lane among others and the same lane alone in an instance differ");
    };
    return with_drives(subject, shapes, compare, 4);
}

Verdict check_env_ranges(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        std::uint32_t size = 0;
        const EnvDrive* const split = drives[1].get();
        const auto step = [&](EnvDrive& drive) {
            return &drive == split ? step_in_ranges(drive, size++ % 4 + 1) : drive.step();
        };
        return side_by_side(subject, drives, step, first_two, "all lanes in one call and in several calls differ");
    });
}

namespace {

// Steps on two threads at the same time, each with its own lanes.
Status step_together(EnvDrive& drive) {
    drive.draw_actions();
    const std::uint32_t middle = drive.lanes() / 2;
    Status status = together([&] { return drive.step_range(0, middle); },
                             [&] { return drive.step_range(middle, drive.lanes() - middle); });
    return status ? drive.move_on() : status;
}

}  // namespace

Verdict check_env_threads(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        const EnvDrive* const split = drives[1].get();
        const auto step = [&](EnvDrive& drive) { return &drive == split ? step_together(drive) : drive.step(); };
        return side_by_side(subject, drives, step, first_two, "one thread and two concurrent threads differ");
    });
}

Verdict check_env_own_rows(const CheckSubject& subject) {
    const DriveShape gaps{.layout = LaneLayout::kGaps, .fill = 0xA5, .is_watched = true};
    return with_drives(subject, {gaps}, [&](Drives& drives, const Workbench&) {
        EnvDrive& drive = *drives[0];
        if (Status status = drive.reset(); !status) {
            return failed(status.error());
        }
        std::uint32_t size = 0;
        for (Pace pace(subject, kPairSteps); pace.more();) {
            if (Status status = step_in_ranges(drive, size++ % 4 + 1); !status) {
                return failed(status.error());
            }
        }
        return passed();
    });
}

Verdict check_env_layouts(const CheckSubject& subject) {
    const std::vector<DriveShape> shapes = {{}, {.layout = LaneLayout::kGaps}, {.layout = LaneLayout::kOneSlot}};
    return with_drives(subject, shapes, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        const auto differ = [](Drives& all) {
            const std::string found = all[0]->difference(*all[1]);
            return found.empty() ? all[0]->difference(*all[2]) : found;
        };
        return side_by_side(subject, drives, step_all, differ,
                            "columns with other strides of slots and lanes get other numbers");
    });
}

Verdict check_env_bound_again(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        const EnvDrive* const moved = drives[1].get();
        std::uint64_t turn = 0;
        const auto step = [&](EnvDrive& drive) -> Status {
            if (&drive == moved && ++turn % 7 == 0) {
                TENON_TRY(drive.move_columns(turn % 2 == 0 ? LaneLayout::kDense : LaneLayout::kGaps));
            }
            return drive.step();
        };
        return side_by_side(subject, drives, step, first_two, "episodes do not continue after columns are rebound");
    });
}

Verdict check_env_newer_structs(const CheckSubject& subject) {
    return with_drives(subject, {{}, {.is_newer = true}}, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        return side_by_side(subject, drives, step_all, first_two,
                            "it behaves differently if structs are larger than it knows");
    });
}

namespace {

// The difference in lanes whose byte in the mask is `chosen`.
std::string masked_difference(Drives& drives, const std::vector<std::uint8_t>& mask, std::uint8_t chosen) {
    std::string found;
    for (std::uint32_t lane = 0; lane < drives[0]->lanes() && found.empty(); ++lane) {
        if (mask[lane] == chosen) {
            found = drives[0]->difference(lane, *drives[1], lane);
        }
    }
    return found;
}

}  // namespace

// Drives both for a while, then resets some lanes of the first: alternately with seeds and without.
Verdict check_env_reset_mask(const CheckSubject& subject) {
    return with_drives(subject, {{.is_watched = true}, {}}, [&](Drives& drives, const Workbench&) {
        std::vector<std::uint8_t> mask(drives[0]->lanes(), 0);
        for (std::size_t lane = 0; lane < mask.size(); lane += 3) {
            mask[lane] = 1;
        }
        std::uint64_t turn = 0;
        const EnvDrive* const reset = drives[0].get();
        const auto step = [&](EnvDrive& drive) -> Status {
            if (&drive == reset && ++turn % 10 == 0) {
                TENON_TRY(drive.reset(mask.data(), nullptr));
            }
            return drive.step();
        };
        const auto differ = [&](Drives& all) { return masked_difference(all, mask, 0); };
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        return side_by_side(subject, drives, step, differ, "a reset of other lanes changes this lane");
    });
}

Verdict check_env_reset_seeds(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) {
        if (announces_no_determinism(drives)) {
            return not_deterministic();
        }
        if (Status status = drives[0]->reset(); !status) {
            return failed(status.error());
        }
        for (Pace pace(subject, 37); pace.more();) {
            if (Status status = drives[0]->step(); !status) {
                return failed(status.error());
            }
        }
        drives[1]->take_over(*drives[0]);
        return side_by_side(subject, drives, step_all, first_two,
                            "a lane that is reset with a seed differs from a new instance with that seed");
    });
}

namespace {

constexpr std::array<Check, 25> kEnvChecks = {{
    {.name = "describes itself the same way each time",
     .breaks = "tenon/abi/env.h: describe",
     .run = check_env_described,
     .gate = Gate::kAll},
    {.name = "begins episodes and steps",
     .breaks = "tenon/abi/env.h: step",
     .run = check_env_first_step,
     .gate = Gate::kAll},
    {.name = "the same seeds and actions give the same bytes",
     .breaks = "tenon/abi/env.h: TN_DETERMINISM_BITS",
     .run = check_env_same_seeds,
     .gate = Gate::kComparisons},
    {.name = "writes every row that it should",
     .breaks = "tenon/abi/env.h: step",
     .run = check_env_written,
     .compares = true},
    {.name = "writes no other row", .breaks = "tenon/abi/env.h: step", .run = check_env_own_rows},
    {.name = "respects the strides of its columns",
     .breaks = "tenon/abi/env.h: bind",
     .run = check_env_layouts,
     .compares = true},
    {.name = "continues after its columns are rebound",
     .breaks = "tenon/abi/env.h: bind",
     .run = check_env_bound_again,
     .compares = true},
    {.name = "a lane does not depend on other lanes",
     .breaks = "tenon/abi/env.h: step",
     .run = check_env_lanes_alone,
     .compares = true},
    {.name = "calls on ranges of lanes equal one call",
     .breaks = "tenon/abi/env.h: step",
     .run = check_env_ranges,
     .compares = true},
    {.name = "threads can step ranges of lanes concurrently",
     .breaks = "tenon/abi/env.h: step",
     .run = check_env_threads,
     .compares = true},
    {.name = "a reset leaves other lanes alone",
     .breaks = "tenon/abi/env.h: reset",
     .run = check_env_reset_mask,
     .compares = true},
    {.name = "a reset with a seed restarts a lane",
     .breaks = "tenon/abi/env.h: reset",
     .run = check_env_reset_seeds,
     .compares = true},
    {.name = "flags are 0 or 1 and respect the episode limit",
     .breaks = "tenon/abi/env.h: tn_env_info",
     .run = check_env_flags},
    {.name = "resets itself and keeps the final observation",
     .breaks = "tenon/abi/env.h: step",
     .run = check_env_next_episode},
    {.name = "observations and rewards are within their specs",
     .breaks = "tenon/abi/spec.h: tn_spec",
     .run = check_env_specs},
    {.name = "an invalid action affects only its own lane",
     .breaks = "tenon/abi/env.h: tn_env_buffers",
     .run = check_env_impossible_actions,
     .compares = true},
    {.name = "ignores the actions of absent agents",
     .breaks = "tenon/abi/env.h: step",
     .run = check_env_absent_agents,
     .compares = true},
    {.name = "continues after loading as if it had never stopped",
     .breaks = "tenon/abi/state.h: load",
     .run = check_env_saved,
     .compares = true},
    {.name = "equal state gives equal bytes",
     .breaks = "tenon/abi/state.h: save",
     .run = check_env_saved_bytes,
     .compares = true},
    {.name = "truncated saved state is refused", .breaks = "tenon/abi/state.h: load", .run = check_env_damaged},
    {.name = "draws complete pictures and does not change a lane by drawing",
     .breaks = "tenon/abi/render.h: draw",
     .run = check_env_pictures},
    {.name = "judges steps by other goals as it would have stepped",
     .breaks = "tenon/abi/goal.h: judge",
     .run = check_env_goals},
    {.name = "steps that end later are those of step",
     .breaks = "tenon/abi/env_async.h: poll",
     .run = check_env_async,
     .compares = true},
    {.name = "does not grow while it runs", .breaks = "tenon/abi/env.h: step", .run = check_env_growth},
    {.name = "accepts the larger structs of a newer host",
     .breaks = "tenon/abi/types.h: struct_size",
     .run = check_env_newer_structs,
     .compares = true},
}};

}  // namespace

std::span<const Check> env_checks() {
    return kEnvChecks;
}

}  // namespace tenon
