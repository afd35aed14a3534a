// SPDX-License-Identifier: Apache-2.0
// The metrics and columns that the hooks of a run read, and what they report and move.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "tenon/abi/hook.h"
#include "train/plan/live.hpp"

namespace tenon {

struct Running;
struct Wiring;

// In the order of a run.
inline constexpr std::array<std::uint32_t, 6> kHookEvents = {TN_HOOK_STARTED,   TN_HOOK_COLLECTED,  TN_HOOK_UPDATED,
                                                             TN_HOOK_EVALUATED, TN_HOOK_CHECKPOINT, TN_HOOK_ENDED};

// "collected": the event's name in messages, and that of the SDK's function for it.
std::string_view name_of_event(std::uint32_t event);

// The host's verified copy of tn_hook_info.
struct HookPlan {
    std::string component;
    Place place;
    std::uint32_t events = 0;
    std::vector<std::string> reads;      // names of metrics
    std::vector<std::string> columns;    // as readers name them
    std::vector<std::string> metrics;    // its own, as the records name them
    std::vector<std::string> options;    // that it moves
    std::vector<std::string> networks;   // that it reads
    std::vector<std::string> writes;     // networks that it writes
    std::vector<std::string> copies_of;  // for each of them the network whose parameters it holds; empty: none
    std::vector<std::size_t> moves;      // positions in LivePlan::moved, set when the wiring is complete
    OptionNumbers own;                   // the present values of its own options

    [[nodiscard]] bool wants(std::uint32_t event) const { return (events & event) != 0; }
};

// What a hook reports about itself. Messages begin with `component`; names of metrics and columns are not looked up
// yet.
Result<HookPlan> read_hook_plan(const tn_hook_info& info, const std::string& component, const Place& place);

// Makes the instances of all hooks, asks them for their plans, and makes the options that they move live. Call it
// before anything reads the live values.
void wire_hooks(Wiring& wiring, Running& running, Problems& problems);

// Whether a hook reads the column that is stored under that key.
bool hooks_want(const Wiring& wiring, std::string_view stored);

// The problem of a hook; `what` is the end of its sentence.
Problem hook_problem(const HookPlan& hook, const std::string& what);

// Looks up what the hooks name, except for metrics (loop/metrics.hpp). Requires a wiring that is otherwise
// complete.
void complete_hooks(Wiring& wiring, Problems& problems);

}  // namespace tenon
