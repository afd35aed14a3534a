// SPDX-License-Identifier: Apache-2.0
// Checks of groups of agents that come and go.
#include <algorithm>
#include <string>

#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"

namespace tenon {

Verdict check_env_absent_agents(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) {
        if (!drives[0]->has_absent_agents()) {
            return skipped("it has no group of agents with a column 'present'");
        }
        if (!drives[0]->info().deterministic) {
            return skipped("it announces TN_DETERMINISM_NONE");
        }
        for (auto& drive : drives) {
            if (Status status = drive->reset(); !status) {
                return failed(status.error());
            }
        }
        for (Pace pace(subject, 300); pace.more();) {
            for (auto& drive : drives) {
                drive->draw_actions();
                if (drive == drives[1]) {
                    drive->change_actions_of_absent();
                }
                Status stepped = drive->step_range(0, drive->lanes());
                stepped = stepped ? drive->move_on() : stepped;
                if (!stepped) {
                    return failed(stepped.error());
                }
            }
            if (const std::string found = drives[0]->difference(*drives[1]); !found.empty()) {
                return failed("the action of an absent agent makes a difference: " + found);
            }
        }
        return passed();
    });
}

}  // namespace tenon
