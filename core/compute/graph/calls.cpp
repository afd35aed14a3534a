// SPDX-License-Identifier: Apache-2.0
// Calling a function of a network: its nodes are built into the caller's graph, with the slab, column prefix, parameter
// version and mode that the call names. So an objective knows no distribution and a new head breaks no objective.
#include <algorithm>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/crash.hpp"

namespace tenon::graph {
namespace {

std::string list_of(const std::vector<const tn_function*>& functions) {
    return listed(functions, &tn_function::name);
}

thread_local Builder* building = nullptr;

// Marks the builder as current during one call of a plugin's function. If the plugin crashes, the crash handler prints
// the problems found so far.
class Building {
public:
    explicit Building(Builder& builder) : outer_(std::exchange(building, &builder)) {
        builder.keep_untold(outer_ == nullptr);
    }
    Building(const Building&) = delete;
    Building& operator=(const Building&) = delete;
    ~Building() {
        building = outer_;
        if (outer_ == nullptr) {
            forget_untold();
        }
    }

private:
    Builder* outer_;
};

}  // namespace

Builder* Builder::current() {
    return building;
}

Builder::Values Builder::call(Draft& draft) {
    const std::string& role = text_of(draft.attributes, "role");
    const std::string& function = text_of(draft.attributes, "function");
    const std::string& slab = text_of(draft.attributes, "slab");
    const auto& networks = *context_.networks;
    const auto unit = std::ranges::find(networks, role, &Unit::role);
    if (unit == networks.end()) {
        if (!tell_first(mark_of_network(role))) {
            return Values(1);
        }
        const auto roles = mapped<std::string_view>(networks, &Unit::role);
        Problem* told = fail(Fault::kInput,
                             "it calls the network '" + role + "', but the manifest has no [policy." + role + "]" +
                                 did_you_mean(role, roles),
                             draft.source);
        if (told != nullptr) {
            const Unit* const caller = frames_.back().unit;
            const bool is_objective = caller != nullptr && !caller->role.starts_with("exploration") &&
                                      std::ranges::find(networks, caller->role, &Unit::role) == networks.end();
            const auto other = std::ranges::find_if(networks, [&](const Unit& each) {
                return is_objective && each.group == caller->group && find_function(each, function) != nullptr;
            });
            told->help = "add one that has the function '" + function + "'" +
                         (other != networks.end()
                              ? ", or let another be it, as in networks = { " + role + " = \"" + other->role + "\" }"
                              : "") +
                         "; `tenon list` shows all components";
        }
        return Values(1);
    }
    if (unit->api == nullptr && !tell_first("procedure " + role)) {
        return Values(1);
    }
    if (!suits_group(*unit, draft.source)) {
        return Values(1);
    }
    const tn_function* found = find_function(*unit, function);
    if (found == nullptr) {
        Problem* told = fail(Fault::kInput,
                             "[policy." + role + "] is " + unit->component + ", which has no function '" + function +
                                 (unit->api == nullptr ? "': it acts by a procedure, which no objective can call"
                                                       : "' (it has: " + list_of(unit->functions) + ")"),
                             draft.source);
        if (told != nullptr && !unit->place.file.empty()) {
            told->also.push_back(unit->place);
            told->help = unit->api == nullptr ? "let a policy with this function act; `tenon list` shows all" : "";
        }
        return Values(1);
    }
    const auto names = value_or(draft.attributes, "bind", std::vector<std::string>());  // since revision 3
    const std::size_t outputs = split_names(found->outputs).size() + memories_among(names);
    const std::size_t inputs = split_names(found->inputs).size() + names.size();
    if (inputs != draft.inputs.size()) {
        const std::string which =
            names.empty() ? " (" + std::string(found->inputs) + ")" : " and " + counted(names.size(), "bound value");
        fail(role + "." + function + " takes " + counted(inputs - names.size(), "input") + which + ", but got " +
                 std::to_string(draft.inputs.size()),
             draft.source);
        return Values(outputs);
    }
    if (slab != "live" && slab != "target" && slab != "reference") {
        fail("there is no slab '" + slab + "'; this host has live, target and reference", draft.source);
        return Values(outputs);
    }
    const std::string& mode = text_of(draft.attributes, "mode");
    if (!mode.empty() && mode != "train" && mode != "act" && mode != "eval") {
        fail("there is no mode '" + mode + "'; this host has train, act and eval", draft.source);
        return Values(outputs);
    }
    if (is_running(*unit, function)) {
        fail(role + "." + function + " calls itself", draft.source);
        return Values(outputs);
    }
    Frame& caller = frames_.back();
    const std::string& version = text_of(draft.attributes, "version");
    if (!version.empty() && std::ranges::find(graph_.stages, version, &Stage::name) == graph_.stages.end()) {
        fail("it reads " + role + " after the stage '" + version + "', which has not been declared", draft.source);
        return Values(outputs);
    }
    const std::string& prefix = text_of(draft.attributes, "prefix");
    if (caller.prefix.find('|') != std::string::npos && !prefix.empty()) {
        fail("it reads '" + prefix + "' of two batches at once; call it on each batch", draft.source);
        return Values(outputs);
    }
    const auto draws = value_or(draft.attributes, "draws", std::int64_t{0});  // since revision 2
    if (draws < 0) {
        fail("it needs " + std::to_string(draws) + " draws per row, which is too many", draft.source);
        return Values(outputs);
    }
    const std::string name = role + "." + function;
    const int ordinal = caller.ordinals[name]++;
    Frame frame{.unit = &*unit,
                .function = function,
                .prefix = caller.prefix + prefix,
                .slab = slab,
                .version = version,
                .mode = mode.empty() ? caller.mode : mode,
                .draws = draws > 0 ? draws : caller.draws,
                .path = caller.path + "/" + name + (ordinal == 0 ? "" : "#" + std::to_string(ordinal)),
                .steps = caller.steps,
                .histories = caller.histories,
                .bound = caller.bound};
    if (names.empty()) {
        return run_or_step(std::move(frame), draft.inputs, outputs, draft.source);
    }
    const std::span<const ValueId> all(draft.inputs);
    const std::size_t own = inputs - names.size();
    Bindings bound;
    if (!bind(frame, draft, names, all.subspan(own), bound)) {
        return Values(outputs);
    }
    const std::string full_prefix = frame.prefix;
    const std::size_t problems = said();
    Values out = run_or_step(std::move(frame), all.first(own), outputs - memories_among(names), draft.source);
    const Values remembered =
        said() == problems ? unbind(*unit, draft, full_prefix, names, bound) : Values(memories_among(names));
    out.insert(out.end(), remembered.begin(), remembered.end());
    return out;
}

// Values of two groups do not pair, so an objective calls networks of one group, and networks of no group.
bool Builder::suits_group(const Unit& network, std::uint32_t source) {
    const Unit* const caller = frames_.back().unit;
    const auto is_caller = [&](const Unit& unit) { return &unit == caller; };
    if (network.group.empty() || caller == nullptr || std::ranges::any_of(*context_.networks, is_caller)) {
        return true;
    }
    const Unit* const other = caller->group.empty() ? std::exchange(of_group_, &network) : caller;
    if (other == nullptr || other->group == network.group) {
        return true;
    }
    if (!tell_first(caller->role + " calls " + network.role)) {
        return false;
    }
    const std::string of_other =
        other == caller ? "the objective is of the group '" : "[policy." + other->role + "] is of the group '";
    Problem* told =
        fail(Fault::kInput,
             "it calls [policy." + network.role + "], which is of the group '" + network.group + "', but " + of_other +
                 other->group + "'; an objective learns for one group, so give it networks of that group",
             source);
    if (told != nullptr) {
        told->also.push_back(network.place);
    }
    return false;
}

// In a program over time, a function with memories runs step by step; one that has only histories does not.
Builder::Values Builder::run_or_step(Frame frame, std::span<const ValueId> inputs, std::size_t outputs,
                                     std::uint32_t source) {
    const bool over_time = std::ranges::find(context_.leading, kTime) != context_.leading.end();
    if (!over_time || frame.steps != nullptr || frame.histories != nullptr) {
        return run(std::move(frame), inputs, outputs);
    }
    std::vector<Memory> memories = memories_of(frame, inputs);
    if (memories.empty()) {
        return run(std::move(frame), inputs, outputs);
    }
    if (!check_sequences(frame, source)) {
        return Values(outputs);
    }
    Histories histories{.seen = {}, .number = frame.prefix.empty() ? 0 : ++histories_};
    frame.histories =
        std::erase_if(memories, [](const Memory& memory) { return memory.of != Memory::Of::kNetwork; }) > 0 ? &histories
                                                                                                            : nullptr;
    return memories.empty() ? step_outputs(std::move(frame), inputs, outputs)
                            : run_steps(std::move(frame), memories, inputs, outputs, source);
}

bool Builder::is_running(const Unit& unit, std::string_view function) const {
    return std::ranges::any_of(frames_, [&](const Frame& f) { return f.unit == &unit && f.function == function; });
}

Builder::Values Builder::run(Frame frame, std::span<const ValueId> inputs, std::size_t outputs) {
    const Unit& unit = *frame.unit;
    const std::string function = frame.function;
    const std::string mode = frame.mode;
    Values out(outputs);
    const std::size_t regions = open_regions_.size();
    frame.regions = regions;
    frames_.push_back(std::move(frame));
    const std::size_t problems = said();
    const tn_build_args args{.struct_size = sizeof(tn_build_args),
                             .flags = 0,
                             .function = function.c_str(),
                             .api = &graph_surface(),
                             .graph = handle_of(*this),
                             .in = inputs.data(),
                             .in_count = static_cast<std::uint32_t>(inputs.size()),
                             .out_capacity = static_cast<std::uint32_t>(outputs),
                             .out = out.data(),
                             .mode = mode.c_str()};
    tn_status status = TN_OK;
    {
        const Building here(*this);
        status = call_plugin(unit.component, function, unit.place, unit.api->build, unit.self, &args);
    }
    if (open_regions_.size() > regions) {
        const std::uint32_t source = graph_.regions[open_regions_.back()].source;
        open_regions_.resize(regions);
        fail("a region was opened but not closed", source);
    }
    if (status != TN_OK && said() == problems) {
        const std::string why = context_.take_error ? context_.take_error() : std::string{};
        // An invalid argument means that the component does not suit what it was wired with, which is a mistake of the
        // manifest.
        const Fault fault = status == TN_INVALID_ARGUMENT ? Fault::kInput : Fault::kPlugin;
        fail(fault,
             why.empty() ? "it could not be built (status " + std::to_string(status) + ", no reason given)" : why, 0);
    }
    if (status != TN_OK) {
        tell_first(mark_of_column(unit.role, ""));  // any column that it writes may be missing
    }
    for (ValueId& value : out) {
        value = status == TN_OK ? value : 0;
        const bool known = value < graph_.values.size();
        if (!known || !is_open(graph_.node_of(value).region)) {
            fail(known ? "it returns a value of a closed scan; make it a result of the scan"
                       : "it returns a value that is not of this graph",
                 known ? graph_.node_of(value).source : 0);
            value = 0;
        }
        if (value == 0 && said() == problems) {
            fail("it did not set all of its outputs (" + std::string(find_function(unit, function)->outputs) + ")", 0);
        }
    }
    frames_.pop_back();
    return out;
}

}  // namespace tenon::graph
