// SPDX-License-Identifier: Apache-2.0
// Checks of groups of agents that come and go.

#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"

namespace tenon {

Verdict check_env_absent_agents(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) {
        if (!drives[0]->has_absent_agents()) {
            return skipped("it has no group of agents with a column 'present'");
        }
        if (!is_deterministic(drives)) {
            return not_deterministic();
        }
        const auto step = [](EnvDrive& drive, std::size_t which) -> Status {
            drive.draw_actions();
            if (which == 1) {
                drive.change_actions_of_absent();
            }
            TENON_TRY(drive.step_range(0, drive.lanes()));
            return drive.move_on();
        };
        return side_by_side(subject, drives, step, first_two, "the action of an absent agent makes a difference");
    });
}

}  // namespace tenon
