// SPDX-License-Identifier: Apache-2.0
#include "commands/check/hook_checks.hpp"

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

// Makes the same calls for all drives; `look` returns what is wrong after each round.
template <class Look>
Verdict each_round(Drives& drives, int rounds, const Look& look) {
    for (int i = 0; i < rounds; ++i) {
        for (const auto& drive : drives) {
            if (Status done = drive->round(); !done) {
                return failed(drive->fault().empty() ? done.error().sentence : drive->fault());
            }
        }
        if (const std::string odd = look(drives); !odd.empty()) {
            return failed(odd);
        }
    }
    return passed();
}

Verdict start(Drives& drives, std::uint32_t event) {
    for (const auto& drive : drives) {
        if (Status done = drive->call(event); !done) {
            return failed(drive->fault().empty() ? done.error().sentence : drive->fault());
        }
    }
    return passed();
}

// Runs all drives through a whole run.
template <class Look>
Verdict whole_run(Drives& drives, const Look& look) {
    Verdict verdict = start(drives, TN_HOOK_STARTED);
    if (verdict.outcome == CheckOutcome::kPass) {
        verdict = each_round(drives, kRounds, look);
    }
    if (verdict.outcome == CheckOutcome::kPass) {
        verdict = start(drives, TN_HOOK_ENDED);
    }
    const std::string odd = verdict.outcome == CheckOutcome::kPass ? look(drives) : "";
    return odd.empty() ? verdict : failed(odd);
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
        Verdict verdict = start(drives, TN_HOOK_STARTED);
        if (verdict.outcome == CheckOutcome::kPass) {
            verdict = each_round(drives, 7, [](Drives&) { return std::string(); });
        }
        if (verdict.outcome != CheckOutcome::kPass) {
            return verdict;
        }
        ChunkedState state;
        const tn_writer writer = state.writer();
        const tn_reader reader = state.reader();
        Status status = from.call("save", from.state->save, 0U, 0U, &writer);
        status = status ? to.call("load", to.state->load, 0U, 0U, &reader) : std::move(status);
        if (!status) {
            return failed(status.error());
        }
        drives[1]->mute(false);
        drives[1]->follow(*drives[0]);
        return each_round(drives, kRounds, [](Drives& all) {
            const std::string found = all[0]->difference(*all[1]);
            return found.empty() ? found
                                 : "an instance that has loaded a state differs from the one that saved it: " + found;
        });
    });
}

Verdict check_memory(const CheckSubject& subject) {
    return with_hooks(subject, {{}}, [](Drives& drives) {
        return check_heap(kManyRounds, "rounds", [&](std::uint64_t) { return drives[0]->round(); });
    });
}

constexpr std::array<Check, 6> kChecks = {{
    {.name = "describes the same plan each time",
     .breaks = "tenon/abi/hook.h: describe",
     .run = check_plan,
     .gate = Gate::kAll},
    {.name = "goes through a run, reports finite numbers and changes nothing that it reads",
     .breaks = "tenon/abi/hook.h: call",
     .run = check_calls,
     .gate = Gate::kAll},
    {.name = "the same metrics and frames give the same answers",
     .breaks = "tenon/abi/hook.h: call",
     .run = check_same,
     .gate = Gate::kComparisons},
    {.name = "continues after loading as if it had never stopped",
     .breaks = "tenon/abi/state.h: load",
     .run = check_resumed,
     .compares = true},
    {.name = "does not grow while it runs", .breaks = "tenon/abi/hook.h: call", .run = check_memory},
    {.name = "accepts the larger structs of a newer host",
     .breaks = "tenon/abi/types.h: struct_size",
     .run = check_newer_structs,
     .compares = true},
}};

}  // namespace
}  // namespace of_hooks

std::span<const Check> hook_checks() {
    return of_hooks::kChecks;
}

}  // namespace tenon
