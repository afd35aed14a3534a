// SPDX-License-Identifier: Apache-2.0
#include "train/plan/hook_plan.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "config/manifest/pace.hpp"
#include "experience/replay/callee.hpp"
#include "folder/records/metric_names.hpp"
#include "tenon/abi/hook_writes.h"
#include "train/plan/moved_options.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kMostNames = 4096;  // names of one list

std::uint32_t every_event() {
    std::uint32_t out = 0;
    std::ranges::for_each(kHookEvents, [&](std::uint32_t event) { out |= event; });
    return out;
}

// A list of names of the plugin; what is wrong with it, as the end of a sentence.
std::string read_hook_names(const tn_str* names, std::uint32_t count, std::vector<std::string>& out) {
    if (count > kMostNames || (count > 0 && names == nullptr)) {
        return count > kMostNames ? "has more than " + std::to_string(kMostNames) + " names in a list"
                                  : "announces names, but its list of them is null";
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        std::string name = names[i].data == nullptr ? "" : std::string(names[i].data, names[i].size);
        if (const std::string fault = name_fault(name); !fault.empty()) {
            return "has the name '" + name + "', which is not valid: it " + fault;
        }
        if (std::ranges::find(out, name) != out.end()) {
            return "names '" + name + "' twice in a list";
        }
        out.push_back(std::move(name));
    }
    return "";
}

Result<HookPlan> describe_hook(const Instance& instance) {
    const auto callee = Callee<tn_hook_api>::of(instance, "tenon.hook/1");
    tn_hook_info info{};
    info.struct_size = sizeof info;
    TENON_TRY(callee.call("describe", callee.api->describe, &info));
    return read_hook_plan(info, callee.name, callee.place);
}

// Asks for the networks that a hook writes (abi/hook_writes.h); none for most hooks.
Status describe_written(const Instance& instance, HookPlan& hook) {
    const auto* const writes = instance.interface<tn_hook_writes_api>("tenon.hook_writes/1");
    if (writes == nullptr) {
        return {};
    }
    const tn_str* names = nullptr;
    std::uint32_t count = 0;
    const auto callee = Callee<tn_hook_api>::of(instance, "tenon.hook/1");
    TENON_TRY(callee.call("describe", writes->describe, &names, &count));
    if (const std::string fault = read_hook_names(names, count, hook.writes); !fault.empty()) {
        return input_problem(callee.name + ": its list of networks " + fault, callee.place);
    }
    hook.copies_of.resize(count);
    if (writes->struct_size >= sizeof *writes && writes->copies_of != nullptr && count > 0) {
        TENON_TRY(callee.call("copies_of", writes->copies_of, &names));
        for (std::uint32_t i = 0; names != nullptr && i < count; ++i) {
            hook.copies_of[i] = std::string(names[i].data == nullptr ? "" : names[i].data, names[i].size);
        }
    }
    return {};
}

// Checks the networks that a hook writes: they exist, and nobody else changes them.
Status check_written(const Wiring& w, const HookPlan& hook) {
    const std::vector<PolicyTable>& tables = w.manifest.policies;
    const auto known = mapped<std::string_view>(tables, &PolicyTable::name);
    for (const std::string& name : hook.writes) {
        const auto table = std::ranges::find(tables, name, &PolicyTable::name);
        if (table == tables.end()) {
            return hook_problem(hook, "writes the network '" + name + "', but there is no [policy." + name + "]" +
                                          did_you_mean(name, known));
        }
        if (!table->freeze) {
            return hook_problem(hook, "writes the network '" + name + "', which objectives may train: set policy." +
                                          name + ".freeze = true");
        }
    }
    return {};
}

// Why a hook cannot read the column; empty if it can. Hooks see columns as they are stored.
std::string fault_of_column(const Wiring& w, const std::string& key) {
    const bool next = is_next(key);
    const std::string root(without_next(key));
    const auto stored = std::ranges::find(w.stored, root, &StorageColumn::key);
    const bool flag = is_end_flag(root);
    if (root == "done") {
        return "which is not stored; read 'next.terminated' and 'next.truncated'";
    }
    if (stored == w.stored.end() && !flag && root != "is_init") {
        std::vector<std::string> keys = {std::string(kNextTerminated), std::string(kNextTruncated), "is_init"};
        for (const StorageColumn& column : w.stored) {
            keys.push_back(is_outcome(column.role) ? next_key(column.key) : column.key);
        }
        const std::vector<std::string_view> known(keys.begin(), keys.end());
        const std::string suggestion = did_you_mean(key, known);
        return "which the run does not store" + (suggestion.empty() ? "; it stores " + listed(known) : suggestion);
    }
    const bool outcome = flag || (stored != w.stored.end() && is_outcome(stored->role));
    if (outcome && !next) {
        return "which is an outcome of a step; read 'next." + root + "'";
    }
    return next && !outcome ? "which is not stored as such; read '" + root + "'" : "";
}

void check_hook_columns(const Wiring& w, const HookPlan& hook, Problems& problems) {
    if (only_learns(w.manifest)) {
        return;  // columns of frames are refused
    }
    for (const std::string& key : hook.columns) {
        if (const std::string fault = fault_of_column(w, key); !fault.empty()) {
            problems.push_back(hook_problem(hook, "reads the column '" + key + "', " + fault));
        }
    }
}

void check_hook_networks(const Wiring& w, const HookPlan& hook, Problems& problems) {
    std::vector<std::string_view> known;
    for (const NetworkLayout& layout : w.layouts.networks) {
        if (layout.trainable_size > 0 || std::ranges::any_of(layout.parameters, &Parameter::trainable)) {
            known.emplace_back(layout.role);
        }
    }
    for (const std::string& name : hook.networks) {
        if (std::ranges::find(known, name) == known.end()) {
            problems.push_back(hook_problem(
                hook, "reads the network '" + name + "', which this run does not train" + did_you_mean(name, known)));
            problems.back().help = known.empty() ? "" : "it trains: " + listed(known);
        }
    }
}

// Why the first network does not hold sets of the parameters of the second one; empty if it does.
std::string fault_of_copies(const NetworkLayout& copies, const NetworkLayout& of) {
    std::vector<const Parameter*> mine, theirs;
    for (const auto& [layout, list] : {std::pair{&copies, &mine}, std::pair{&of, &theirs}}) {
        for (const Parameter& one : layout->parameters) {
            if (one.trainable) {
                list->push_back(&one);
            }
        }
    }
    for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
        if (i >= mine.size() || i >= theirs.size() || mine[i]->name != theirs[i]->name) {
            return "only one of them has the parameter '" + (i < theirs.size() ? theirs[i] : mine[i])->name + "'";
        }
        if (mine[i]->shape != theirs[i]->shape) {
            return "'" + mine[i]->name + "' is " + to_string(Shape(mine[i]->shape)) + " in the copies and " +
                   to_string(Shape(theirs[i]->shape)) + " in the other";
        }
    }
    return of.ensemble ? "[policy." + of.role + "] has several members itself" : "";
}

const NetworkLayout* find_layout(const Wiring& w, const std::string& role) {
    const auto found = std::ranges::find(w.layouts.networks, role, &NetworkLayout::role);
    return found == w.layouts.networks.end() ? nullptr : &*found;
}

void check_copies(const Wiring& w, const HookPlan& hook, Problems& problems) {
    for (std::size_t i = 0; i < hook.writes.size(); ++i) {
        const auto [copies, of] = std::pair{find_layout(w, hook.writes[i]), find_layout(w, hook.copies_of[i])};
        const std::string fault = copies == nullptr || of == nullptr ? "" : fault_of_copies(*copies, *of);
        if (!fault.empty()) {
            problems.push_back(hook_problem(hook, "copies [policy." + of->role + "] into [policy." + copies->role +
                                                      "], but " + fault + "; give both the same plugin and options"));
            problems.back().also = {place_of(w.manifest, "policy." + of->role),
                                    place_of(w.manifest, "policy." + copies->role)};
        }
    }
}

}  // namespace

std::string_view name_of_event(std::uint32_t event) {
    static constexpr std::array<std::string_view, kHookEvents.size()> kNames = {"started",   "collected",  "updated",
                                                                                "evaluated", "checkpoint", "ended"};
    return kNames[static_cast<std::size_t>(std::ranges::find(kHookEvents, event) - kHookEvents.begin())];
}

Problem hook_problem(const HookPlan& hook, const std::string& what) {
    return input_problem(hook.component + " " + what, hook.place);
}

Result<HookPlan> read_hook_plan(const tn_hook_info& info, const std::string& component, const Place& place) {
    HookPlan out;
    out.component = component;
    out.place = place;
    out.events = info.events;
    const std::string odd = (info.events & ~every_event()) != 0
                                ? "asks for calls that this host does not make; use a newer Tenon"
                            : info.events == 0 ? "asks for no calls"
                                               : "";
    if (!odd.empty()) {
        return plugin_problem(component + ": its plan " + odd, place);
    }
    std::string fault;  // often of an option's value
    for (const auto& [names, count, list] : {std::tuple{info.reads, info.read_count, &out.reads},
                                             std::tuple{info.columns, info.column_count, &out.columns},
                                             std::tuple{info.metrics, info.metric_count, &out.metrics},
                                             std::tuple{info.options, info.option_count, &out.options},
                                             std::tuple{info.networks, info.network_count, &out.networks}}) {
        fault = fault.empty() ? read_hook_names(names, count, *list) : fault;
    }
    if (fault.empty() && !out.columns.empty() && !out.wants(TN_HOOK_COLLECTED)) {
        fault = "reads columns, but is not called when frames are collected";
    }
    return fault.empty() ? Result<HookPlan>(std::move(out)) : input_problem(component + ": its plan " + fault, place);
}

void wire_hooks(Wiring& w, Running& running, Problems& problems) {
    for (std::size_t i = 0; i < w.parts.hooks.size(); ++i) {
        const Part& part = w.parts.hooks[i];
        Result<Instance> instance = instantiate(part, 0, w.seed(), "");
        Result<HookPlan> plan = instance ? describe_hook(*instance) : Result<HookPlan>(instance.error());
        if (!is_done(plan, problems)) {
            continue;
        }
        if (!is_done(describe_written(*instance, *plan), problems) || !is_done(check_written(w, *plan), problems)) {
            continue;
        }
        const std::string name = w.manifest.hooks[i].name.value_or("");
        const std::string prefix = std::string(metric::kHook) + name + (name.empty() ? "" : "/");
        std::ranges::for_each(plan->metrics, [&](std::string& metric) { metric = prefix + metric; });
        for (const std::string& option : plan->options) {
            add_moved(w.live, w.manifest, w.parts,
                      {.name = option, .by = plan->component, .place = plan->place, .range = {}, .limits = {}},
                      problems);
        }
        running.hooks.push_back(std::move(*instance));
        w.hooks.push_back(std::move(*plan));
    }
}

bool hooks_want(const Wiring& w, std::string_view stored) {
    return std::ranges::any_of(
        w.hooks, [&](const HookPlan& hook) { return std::ranges::find(hook.columns, stored) != hook.columns.end(); });
}

void complete_hooks(Wiring& w, Problems& problems) {
    complete_moved(w.live, problems);
    for (std::size_t i = 0; i < w.hooks.size(); ++i) {
        HookPlan& hook = w.hooks[i];
        hook.own = OptionNumbers(w.parts.hooks[i], w.live);
        check_hook_columns(w, hook, problems);
        check_hook_networks(w, hook, problems);
        check_copies(w, hook, problems);
        for (const std::string& option : hook.options) {
            const auto moved = std::ranges::find(w.live.moved, option, &MovedOption::name);
            hook.moves.push_back(static_cast<std::size_t>(moved - w.live.moved.begin()));
        }
    }
}

}  // namespace tenon
