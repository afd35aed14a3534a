// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "commands/check/chunked_state.hpp"
#include "commands/check/policy_drive.hpp"
#include "commands/check/process_facts.hpp"
#include "commands/check/together.hpp"

namespace tenon {
namespace of_policies {
namespace {

constexpr int kActs = 200;
constexpr int kLong = 10000;

using Drives = std::vector<std::unique_ptr<PolicyDrive>>;

template <class Body>
Verdict with_policies(const CheckSubject& subject, const std::vector<PolicyShape>& shapes, const Body& body) {
    const auto bench = TENON_TRY(Workbench::open(subject));
    Drives drives;
    for (const PolicyShape& shape : shapes) {
        Result<std::unique_ptr<PolicyDrive>> drive = PolicyDrive::make(*bench, shape);
        if (!drive) {
            return drive.error().fault == Fault::kInput
                       ? skipped("it accepts none of the synthetic envs: " + drive.error().sentence)
                       : failed(drive.error());
        }
        drives.push_back(std::move(*drive));
    }
    return body(drives);
}

// Three draws, then the best action.
std::int32_t mode_at(int number) {
    return number % 4 == 3 ? TN_ACT_MODE : TN_ACT_SAMPLE;
}

Status act_at(PolicyDrive& drive, int number) {
    drive.observe();
    return drive.act(mode_at(number));
}

// Lets all drives act, each in its own way, and calls `differ` after each step.
template <class Act, class Differ>
Verdict side_by_side(Drives& drives, const Act& act, const Differ& differ, const std::string& beginning) {
    for (int number = 0; number < kActs; ++number) {
        for (std::size_t i = 0; i < drives.size(); ++i) {
            TENON_TRY(act(*drives[i], number, i));
        }
        if (const std::string found = differ(drives); !found.empty()) {
            return failed(beginning + ": " + found);
        }
    }
    return passed();
}

std::string first_two(const Drives& drives) {
    return drives[0]->difference(*drives[1]);
}

Status as_it_is(PolicyDrive& drive, int number, std::size_t /*which*/) {
    return act_at(drive, number);
}

Verdict check_acts(const CheckSubject& subject) {
    return with_policies(subject, {{}}, [](Drives& drives) {
        return side_by_side(drives, as_it_is, [](const Drives&) { return std::string(); }, "");
    });
}

Verdict check_same_key(const CheckSubject& subject) {
    return with_policies(subject, {{.fresh = 0x11}, {.fresh = 0xEE}}, [](Drives& drives) {
        return side_by_side(drives, as_it_is, first_two,
                            "two instances with the same key, counter and observations differ");
    });
}

Verdict check_written(const CheckSubject& subject) {
    return with_policies(subject, {{.fill = 0}, {.fill = 1}}, [](Drives& drives) {
        return side_by_side(drives, as_it_is, first_two, "a row that should have been written keeps its old value");
    });
}

Verdict check_own_rows(const CheckSubject& subject) {
    return with_policies(subject, {{.layout = LaneLayout::kGaps, .is_watched = true}}, [](Drives& drives) {
        const auto in_two = [](PolicyDrive& drive, int number, std::size_t /*which*/) {
            drive.observe();
            Status status = drive.act(mode_at(number), 4, drive.lanes() - 4);
            return status ? drive.act(mode_at(number), 0, 4) : std::move(status);
        };
        return side_by_side(drives, in_two, [](const Drives&) { return std::string(); }, "");
    });
}

Verdict check_layouts(const CheckSubject& subject) {
    return with_policies(subject, {{}, {.layout = LaneLayout::kGaps}}, [](Drives& drives) {
        return side_by_side(drives, as_it_is, first_two,
                            "columns with other strides of slots and lanes get other actions");
    });
}

Verdict check_bound_again(const CheckSubject& subject) {
    return with_policies(subject, {{}, {}}, [](Drives& drives) {
        const auto moved = [](PolicyDrive& drive, int number, std::size_t which) -> Status {
            if (which == 1 && number % 7 == 6) {
                const LaneLayout layout = number % 2 == 0 ? LaneLayout::kDense : LaneLayout::kGaps;
                TENON_TRY(drive.move_columns(layout));
            }
            return act_at(drive, number);
        };
        return side_by_side(drives, moved, first_two, "its actions change after columns are rebound");
    });
}

// Draws depend on the lane number, so this uses the best action; some policies draw that as well.
Verdict check_lanes_alone(const CheckSubject& subject) {
    std::vector<PolicyShape> shapes = {{}};
    for (std::uint32_t lane = 0; lane < shapes[0].lanes; ++lane) {
        shapes.push_back({.lanes = 1, .first_lane = lane});
    }
    shapes.push_back({.draws_others = true});
    return with_policies(subject, shapes, [](Drives& drives) {
        const auto best = [](PolicyDrive& drive, int /*number*/, std::size_t /*which*/) {
            drive.observe();
            return drive.act(TN_ACT_MODE);
        };
        bool drawn = false;
        const auto differ = [&](const Drives& all) {
            std::string found;
            drawn = drawn || !all[0]->difference(*all.back()).empty();
            for (std::uint32_t lane = 0; lane < all[0]->lanes() && found.empty(); ++lane) {
                found = all[0]->difference(lane, *all[lane + 1], 0);
            }
            return found;
        };
        const Verdict verdict =
            side_by_side(drives, best, differ, "a lane among others and the same lane alone in an instance differ");
        return drawn ? skipped("its best action uses random draws, which depend on the lane's number") : verdict;
    });
}

Verdict check_ranges(const CheckSubject& subject) {
    return with_policies(subject, {{}, {}}, [](Drives& drives) {
        const auto in_pieces = [](PolicyDrive& drive, int number, std::size_t which) {
            const std::uint32_t size = which == 0 ? drive.lanes() : 1 + static_cast<std::uint32_t>(number % 4);
            drive.observe();
            Status status;
            for (std::uint32_t end = drive.lanes(); end > 0 && status; end -= std::min(size, end)) {
                const std::uint32_t count = std::min(size, end);
                status = drive.act(mode_at(number), end - count, count);
            }
            return status;
        };
        return side_by_side(drives, in_pieces, first_two, "all lanes in one call and in several calls differ");
    });
}

Verdict check_threads(const CheckSubject& subject) {
    return with_policies(subject, {{}, {}}, [](Drives& drives) {
        const auto at_once = [](PolicyDrive& drive, int number, std::size_t which) {
            if (which == 0) {
                return act_at(drive, number);
            }
            drive.observe();
            const std::uint32_t half = drive.lanes() / 2;
            return together([&] { return drive.act(mode_at(number), 0, half); },
                            [&] { return drive.act(mode_at(number), half, drive.lanes() - half); });
        };
        return side_by_side(drives, at_once, first_two, "one thread and two concurrent threads differ");
    });
}

Verdict check_saved(const CheckSubject& subject) {
    return with_policies(subject, {{}, {}}, [](Drives& drives) -> Verdict {
        const Callee<tn_policy_api>& from = drives[0]->callee();
        const Callee<tn_policy_api>& to = drives[1]->callee();
        if (from.state == nullptr) {
            return skipped("it does not offer tenon.state/1, so a resumed run loses what it keeps per lane");
        }
        for (int number = 0; number < 60; ++number) {
            TENON_TRY(act_at(*drives[0], number));
        }
        drives[1]->take_over(*drives[0]);
        for (const auto& [first, count] : {std::pair{0U, 4U}, std::pair{4U, 1U}, std::pair{5U, 6U}}) {
            ChunkedState state;
            TENON_TRY(pass_state(from, to, first, count, state));
            if (state.left() > 0) {
                return failed("load leaves " + std::to_string(state.left()) + " of the " +
                              counted(state.data.size(), "byte") + " that save wrote");
            }
        }
        return side_by_side(drives, as_it_is, first_two,
                            "an instance that has loaded a state acts differently from the one that saved it");
    });
}

Verdict check_growth(const CheckSubject& subject) {
    return with_policies(subject, {{.lanes = 3}}, [](Drives& drives) {
        return check_heap(kLong, "calls",
                          [&](std::uint64_t number) { return act_at(*drives[0], static_cast<int>(number)); });
    });
}

Verdict check_newer(const CheckSubject& subject) {
    return with_policies(subject, {{}, {.is_newer = true}}, [](Drives& drives) {
        return side_by_side(drives, as_it_is, first_two, "its actions change with the larger structs of a newer host");
    });
}

constexpr std::array<Check, 12> kChecks = {{
    {"gives valid actions", "tenon/abi/policy.h: act", check_acts, kGate},
    {"the same key and counter give the same actions", "tenon/abi/policy.h: tn_policy_call", check_same_key,
     kGateOfComparisons},
    {"writes every action that it should", "tenon/abi/policy.h: act", check_written, kCompares},
    {"writes no other row", "tenon/abi/policy.h: act", check_own_rows},
    {"respects the strides of its columns", "tenon/abi/policy.h: bind", check_layouts, kCompares},
    {"continues after its columns are rebound", "tenon/abi/policy.h: bind", check_bound_again, kCompares},
    {"a lane does not depend on other lanes", "tenon/abi/policy.h: act", check_lanes_alone, kCompares},
    {"calls on ranges of lanes equal one call", "tenon/abi/policy.h: act", check_ranges, kCompares},
    {"threads can act on ranges of lanes concurrently", "tenon/abi/policy.h: act", check_threads, kCompares},
    {"continues after loading as if it had never stopped", "tenon/abi/state.h: load", check_saved, kCompares},
    {"does not grow while it runs", "tenon/abi/policy.h: act", check_growth},
    {"accepts the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_newer, kCompares},
}};

}  // namespace
}  // namespace of_policies

std::span<const Check> policy_checks() {
    return of_policies::kChecks;
}

}  // namespace tenon
