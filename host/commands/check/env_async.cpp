// SPDX-License-Identifier: Apache-2.0
// Steps that end later (tenon/abi/env_async.h): a lane that was submitted must make the same step that `step` would
// have made, whichever other lanes are submitted with it.
#include <string>

#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kLaterSteps = 60;

// Steps all lanes: together, in two parts at the same time, or in three parts in sequence.
Status step_somehow(EnvDrive& drive) {
    const auto parts = static_cast<std::uint32_t>(1 + drive.steps() % 3);
    return drive.step_later(parts, parts == 3);
}

}  // namespace

Verdict check_env_async(const CheckSubject& subject) {
    return with_drives(
        subject, {{}, {.fill = 0x5A, .is_watched = true}}, [&](Drives& drives, const Workbench&) -> Verdict {
            EnvDrive& usual = *drives[0];
            EnvDrive& later = *drives[1];
            const tn_env_async_api* const async = later.callee().async;
            if (async == nullptr) {
                return skipped("it does not offer tenon.env.async/1, so that all its lanes step together");
            }
            tn_env_async_info info{.struct_size = sizeof info, .at_once = 0};
            if (const tn_status done = async->describe(later.callee().self, &info); done != TN_OK) {
                const std::string why = take_error();
                return done == TN_UNAVAILABLE ? skipped("its lanes step together: " + why)
                                              : failed(later.callee().problem("describe: " + why));
            }
            TENON_TRY(usual.reset());
            TENON_TRY(later.reset());
            for (Pace pace(subject, kLaterSteps); pace.more();) {
                TENON_TRY(usual.step());
                TENON_TRY(step_somehow(later));
                if (const std::string found = later.difference(usual); !found.empty()) {
                    return failed("submit and poll differ from step: " + found);
                }
            }
            return passed();
        });
}

}  // namespace tenon
