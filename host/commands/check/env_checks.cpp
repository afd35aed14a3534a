// SPDX-License-Identifier: Apache-2.0
#include "commands/check/env_checks.hpp"

#include <array>
#include <string>

#include "commands/check/env_drives.hpp"
#include "commands/check/tailed.hpp"
#include "commands/check/together.hpp"

namespace tenon {
Verdict check_env_described(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [](Drives& drives, const Workbench&) -> Verdict {
        if (!(drives[0]->info().specs == drives[1]->info().specs) ||
            drives[0]->info().episode_limit != drives[1]->info().episode_limit) {
            return failed("two instances with the same options describe themselves differently");
        }
        tn_env_info info{};
        Tailed<tn_env_info> exact(info, false);
        const Callee<tn_env_api>& env = drives[0]->callee();
        TENON_TRY(env.call("describe", env.api->describe, &exact.value));
        if (!exact.is_whole()) {
            return failed("describe writes past the struct_size that the host has set");
        }
        return passed();
    });
}

Verdict check_env_first_step(const CheckSubject& subject) {
    return with_drives(subject, {{}}, [](Drives& drives, const Workbench&) -> Verdict {
        TENON_TRY(drives[0]->reset());
        for (int i = 0; i < 3; ++i) {
            TENON_TRY(drives[0]->step());
        }
        return passed();
    });
}

Verdict check_env_same_seeds(const CheckSubject& subject) {
    return compared(subject, {{.fresh = 0x11}, {.fresh = 0xEE}}, step_all,
                    "two instances with the same seeds and actions differ");
}

Verdict check_env_written(const CheckSubject& subject) {
    return compared(subject, {{.fill = 0x11}, {.fill = 0xEE}}, step_all,
                    "a row that should have been written keeps its old value");
}

Verdict check_env_lanes_alone(const CheckSubject& subject) {
    const std::uint32_t stride = subject.lanes == 7 ? 5 : 7;  // lanes far apart, if few lanes get an instance
    std::vector<DriveShape> shapes = {{}};
    for (std::uint32_t i = 0; i < subject.lanes; ++i) {
        shapes.push_back({.lanes = 1, .first_lane = i * stride % subject.lanes});
    }
    const auto differ = [&](Drives& all) {
        std::string found;
        for (std::size_t i = 1; i < all.size() && found.empty(); ++i) {
            found = all[0]->difference(shapes[i].first_lane, *all[i], 0);
        }
        return found;
    };
    const auto compare = [&](Drives& drives, const Workbench&) {
        return is_deterministic(drives)
                   ? side_by_side(subject, drives, step_all, differ,
                                  "a lane among others and the same lane alone in an instance differ")
                   : not_deterministic();
    };
    return with_drives(subject, shapes, compare, 4);
}

Verdict check_env_ranges(const CheckSubject& subject) {
    std::uint32_t size = 0;
    const auto step = [&](EnvDrive& drive, std::size_t which) {
        return which == 1 ? step_in_ranges(drive, size++ % 4 + 1) : drive.step();
    };
    return compared(subject, {{}, {}}, step, "all lanes in one call and in several calls differ");
}

// The second drive steps on two threads at the same time, each with its own lanes.
Verdict check_env_threads(const CheckSubject& subject) {
    const auto step = [](EnvDrive& drive, std::size_t which) {
        if (which == 0) {
            return drive.step();
        }
        drive.draw_actions();
        const std::uint32_t middle = drive.lanes() / 2;
        Status status = together([&] { return drive.step_range(0, middle); },
                                 [&] { return drive.step_range(middle, drive.lanes() - middle); });
        return status ? drive.move_on() : status;
    };
    return compared(subject, {{}, {}}, step, "one thread and two concurrent threads differ");
}

Verdict check_env_own_rows(const CheckSubject& subject) {
    const DriveShape gaps{.layout = LaneLayout::kGaps, .fill = 0xA5, .is_watched = true};
    return with_drives(subject, {gaps}, [&](Drives& drives, const Workbench&) -> Verdict {
        EnvDrive& drive = *drives[0];
        TENON_TRY(drive.reset());
        std::uint32_t size = 0;
        for (Pace pace(subject, kPairSteps); pace.more();) {
            TENON_TRY(step_in_ranges(drive, size++ % 4 + 1));
        }
        return passed();
    });
}

Verdict check_env_layouts(const CheckSubject& subject) {
    const auto differ = [](Drives& all) {
        const std::string found = all[0]->difference(*all[1]);
        return found.empty() ? all[0]->difference(*all[2]) : found;
    };
    return compared(subject, {{}, {.layout = LaneLayout::kGaps}, {.layout = LaneLayout::kOneSlot}}, step_all,
                    "columns with other strides of slots and lanes get other numbers", differ);
}

Verdict check_env_bound_again(const CheckSubject& subject) {
    std::uint64_t turn = 0;
    const auto step = [&](EnvDrive& drive, std::size_t which) -> Status {
        if (which == 1 && ++turn % 7 == 0) {
            TENON_TRY(drive.move_columns(turn % 2 == 0 ? LaneLayout::kDense : LaneLayout::kGaps));
        }
        return drive.step();
    };
    return compared(subject, {{}, {}}, step, "episodes do not continue after columns are rebound");
}

Verdict check_env_newer_structs(const CheckSubject& subject) {
    return compared(subject, {{}, {.is_newer = true}}, step_all,
                    "it behaves differently if structs are larger than it knows");
}

// Drives both for a while, then resets every third lane of the first: alternately with seeds and without.
Verdict check_env_reset_mask(const CheckSubject& subject) {
    std::uint64_t turn = 0;
    const auto step = [&](EnvDrive& drive, std::size_t which) -> Status {
        if (which == 0 && ++turn % 10 == 0) {
            std::vector<std::uint8_t> mask(drive.lanes(), 0);
            for (std::size_t lane = 0; lane < mask.size(); lane += 3) {
                mask[lane] = 1;
            }
            TENON_TRY(drive.reset(mask.data(), nullptr));
        }
        return drive.step();
    };
    const auto differ = [](Drives& all) {
        std::string found;
        for (std::uint32_t lane = 0; lane < all[0]->lanes() && found.empty(); ++lane) {
            found = lane % 3 == 0 ? "" : all[0]->difference(lane, *all[1], lane);
        }
        return found;
    };
    return compared(subject, {{.is_watched = true}, {}}, step, "a reset of other lanes changes this lane", differ);
}

Verdict check_env_reset_seeds(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) -> Verdict {
        if (!is_deterministic(drives)) {
            return not_deterministic();
        }
        TENON_TRY(drives[0]->reset());
        for (Pace pace(subject, 37); pace.more();) {
            TENON_TRY(drives[0]->step());
        }
        drives[1]->take_over(*drives[0]);
        return side_by_side(subject, drives, step_all, first_two,
                            "a lane that is reset with a seed differs from a new instance with that seed");
    });
}

namespace {

constexpr std::array<Check, 25> kEnvChecks = {{
    {"describes itself the same way each time", "tenon/abi/env.h: describe", check_env_described, kGate},
    {"begins episodes and steps", "tenon/abi/env.h: step", check_env_first_step, kGate},
    {"the same seeds and actions give the same bytes", "tenon/abi/env.h: TN_DETERMINISM_BITS", check_env_same_seeds,
     kGateOfComparisons},
    {"writes every row that it should", "tenon/abi/env.h: step", check_env_written, kCompares},
    {"writes no other row", "tenon/abi/env.h: step", check_env_own_rows},
    {"respects the strides of its columns", "tenon/abi/env.h: bind", check_env_layouts, kCompares},
    {"continues after its columns are rebound", "tenon/abi/env.h: bind", check_env_bound_again, kCompares},
    {"a lane does not depend on other lanes", "tenon/abi/env.h: step", check_env_lanes_alone, kCompares},
    {"calls on ranges of lanes equal one call", "tenon/abi/env.h: step", check_env_ranges, kCompares},
    {"threads can step ranges of lanes concurrently", "tenon/abi/env.h: step", check_env_threads, kCompares},
    {"a reset leaves other lanes alone", "tenon/abi/env.h: reset", check_env_reset_mask, kCompares},
    {"a reset with a seed restarts a lane", "tenon/abi/env.h: reset", check_env_reset_seeds, kCompares},
    {"flags are 0 or 1 and respect the episode limit", "tenon/abi/env.h: tn_env_info", check_env_flags},
    {"resets itself and keeps the final observation", "tenon/abi/env.h: step", check_env_next_episode},
    {"observations and rewards are within their specs", "tenon/abi/spec.h: tn_spec", check_env_specs},
    {"an invalid action affects only its own lane", "tenon/abi/env.h: tn_env_buffers", check_env_impossible_actions,
     kCompares},
    {"ignores the actions of absent agents", "tenon/abi/env.h: step", check_env_absent_agents, kCompares},
    {"continues after loading as if it had never stopped", "tenon/abi/state.h: load", check_env_saved, kCompares},
    {"equal state gives equal bytes", "tenon/abi/state.h: save", check_env_saved_bytes, kCompares},
    {"truncated saved state is refused", "tenon/abi/state.h: load", check_env_damaged},
    {"draws complete pictures and does not change a lane by drawing", "tenon/abi/render.h: draw", check_env_pictures},
    {"judges steps by other goals as it would have stepped", "tenon/abi/goal.h: judge", check_env_goals},
    {"steps that end later are those of step", "tenon/abi/env_async.h: poll", check_env_async, kCompares},
    {"does not grow while it runs", "tenon/abi/env.h: step", check_env_growth},
    {"accepts the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_env_newer_structs,
     kCompares},
}};

}  // namespace

std::span<const Check> env_checks() {
    return kEnvChecks;
}

}  // namespace tenon
