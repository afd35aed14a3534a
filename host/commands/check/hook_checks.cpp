// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/check/chunked_state.hpp"
#include "commands/check/hook_drive.hpp"
#include "commands/check/process_facts.hpp"
#include "commands/check/with_drives.hpp"

namespace tenon {
namespace of_hooks {
namespace {

using Drives = std::vector<std::unique_ptr<HookDrive>>;

constexpr int kRounds = 40;
constexpr int kManyRounds = 2'000;

template <class Body>
Verdict with_hooks(const CheckSubject& subject, const std::vector<HookShape>& shapes, const Body& body) {
    return with_drives<HookDrive>(subject, shapes, body);
}

// A problem with the sentence if there is one.
Status no_fault(const std::string& sentence) {
    return sentence.empty() ? Status() : Status(plugin_problem(sentence));
}

// Makes the same calls for all drives.
template <class Calls>
Status each_drive(Drives& drives, const Calls& calls) {
    for (const auto& drive : drives) {
        if (Status done = calls(*drive); !done) {
            return drive->fault().empty() ? std::move(done) : no_fault(drive->fault());
        }
    }
    return {};
}

// `look` returns what is wrong after each round.
template <class Look>
Status each_round(Drives& drives, int rounds, const Look& look) {
    for (int i = 0; i < rounds; ++i) {
        TENON_TRY(each_drive(drives, [](HookDrive& drive) { return drive.round(); }));
        TENON_TRY(no_fault(look(drives)));
    }
    return {};
}

// Runs all drives through a whole run.
template <class Look>
Verdict whole_run(Drives& drives, const Look& look) {
    TENON_TRY(each_drive(drives, [](HookDrive& drive) { return drive.call(TN_HOOK_STARTED); }));
    TENON_TRY(each_round(drives, kRounds, look));
    TENON_TRY(each_drive(drives, [](HookDrive& drive) { return drive.call(TN_HOOK_ENDED); }));
    TENON_TRY(no_fault(look(drives)));
    return passed();
}

std::string fault_of_first(Drives& drives) {
    return drives[0]->fault();
}

std::string differ(Drives& drives) {
    const std::string found = drives[0]->difference(*drives[1]);
    return found.empty() ? found : "two instances with the same options, metrics and frames differ: " + found;
}

Verdict check_plan(const CheckSubject& subject) {
    return with_hooks(subject, {{}, {}}, [](Drives& drives) {
        const HookPlan& one = drives[0]->plan();
        const HookPlan& other = drives[1]->plan();
        const bool is_same = one.events == other.events && one.reads == other.reads && one.columns == other.columns &&
                             one.metrics == other.metrics && one.options == other.options &&
                             one.networks == other.networks;
        return is_same ? passed() : failed("two instances with the same options describe different plans");
    });
}

Verdict check_calls(const CheckSubject& subject) {
    return with_hooks(subject, {{}}, [](Drives& drives) { return whole_run(drives, fault_of_first); });
}

Verdict check_same(const CheckSubject& subject) {
    return with_hooks(subject, {{.fresh = 0x11}, {.fresh = 0xEE}},
                      [](Drives& drives) { return whole_run(drives, differ); });
}

Verdict check_newer_structs(const CheckSubject& subject) {
    return with_hooks(subject, {{}, {.is_newer = true}}, [](Drives& drives) { return whole_run(drives, differ); });
}

Verdict check_resumed(const CheckSubject& subject) {
    return with_hooks(subject, {{}, {}}, [](Drives& drives) -> Verdict {
        const Callee<tn_hook_api>& from = drives[0]->callee();
        const Callee<tn_hook_api>& to = drives[1]->callee();
        if (from.state == nullptr) {
            return skipped("it does not offer tenon.state/1, so a resumed run begins with a new one");
        }
        drives[1]->mute(true);
        TENON_TRY(each_drive(drives, [](HookDrive& drive) { return drive.call(TN_HOOK_STARTED); }));
        TENON_TRY(each_round(drives, 7, [](Drives&) { return std::string(); }));
        ChunkedState state;
        TENON_TRY(pass_state(from, to, 0, 0, state));
        drives[1]->mute(false);
        drives[1]->follow(*drives[0]);
        TENON_TRY(each_round(drives, kRounds, [](Drives& all) {
            const std::string found = all[0]->difference(*all[1]);
            return found.empty() ? found
                                 : "an instance that has loaded a state differs from the one that saved it: " + found;
        }));
        return passed();
    });
}

Verdict check_memory(const CheckSubject& subject) {
    return with_hooks(subject, {{}}, [](Drives& drives) {
        return check_heap(kManyRounds, "rounds", [&](std::uint64_t) { return drives[0]->round(); });
    });
}

constexpr std::array<Check, 6> kChecks = {{
    {"describes the same plan each time", "tenon/abi/hook.h: describe", check_plan, kGate},
    {"goes through a run, reports finite numbers and changes nothing that it reads", "tenon/abi/hook.h: call",
     check_calls, kGate},
    {"the same metrics and frames give the same answers", "tenon/abi/hook.h: call", check_same, kGateOfComparisons},
    {"continues after loading as if it had never stopped", "tenon/abi/state.h: load", check_resumed, kCompares},
    {"does not grow while it runs", "tenon/abi/hook.h: call", check_memory},
    {"accepts the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_newer_structs, kCompares},
}};

}  // namespace
}  // namespace of_hooks

std::span<const Check> hook_checks() {
    return of_hooks::kChecks;
}

}  // namespace tenon
