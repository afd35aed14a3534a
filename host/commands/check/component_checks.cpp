// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <array>
#include <string>

#include "commands/check/process_facts.hpp"
#include "commands/check/tailed.hpp"
#include "commands/check/workbench.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/option_values.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kLanes = 3;

std::uint32_t lanes_of(const Workbench& bench) {
    const tn_component* const component = bench.component().component;
    const bool is_graph = component->get_interface("tenon.graph/1") != nullptr;
    const std::string_view kind = component->kind;
    return is_graph || kind == "buffer" || kind == "objective" || kind == "hook" || kind == "dataset" ? 0 : kLanes;
}

// Two instances at the same time; the first is destroyed first.
Verdict check_made(const CheckSubject& subject) {
    const auto bench = TENON_TRY(Workbench::open(subject));
    const ProcessFacts before = ProcessFacts::now();
    {
        const Instance first = TENON_TRY(bench->make(lanes_of(*bench)));
        const Result<Instance> second = bench->make(lanes_of(*bench));
        if (!second) {
            return failed("a second instance fails while the first exists: " + second.error().sentence);
        }
    }
    const std::string changed = change(before, ProcessFacts::now());
    return changed.empty() ? passed() : failed("after destroy " + changed, "tenon/abi/plugin.h: destroy");
}

Verdict check_newer_create(const CheckSubject& subject) {
    const auto bench = TENON_TRY(Workbench::open(subject));
    const AbiOptions values(subject.component->options, subject.options);
    const LoadedComponent loaded = bench->component();
    const Tailed<tn_create_args> args({.struct_size = 0,
                                       .lanes = lanes_of(*bench),
                                       .host = loaded.host,
                                       .options = values.pointers().data(),
                                       .option_count = values.pointers().size(),
                                       .key = bench->key("instance")},
                                      true);
    void* self = nullptr;
    const tn_status status =
        call_plugin(loaded.info.name, "create", loaded.info.place, loaded.component->create, &args.value, &self);
    TENON_TRY(check_call(status, loaded.info.name, "create"));
    loaded.component->destroy(self);
    return passed();
}

constexpr std::array<Check, 2> kComponentChecks = {{
    {"two instances can be created and destroyed", "tenon/abi/plugin.h: create", check_made, kGate},
    {"accepts the larger tn_create_args of a newer host", "tenon/abi/plugin.h: tn_create_args", check_newer_create},
}};

}  // namespace

std::span<const Check> component_checks() {
    return kComponentChecks;
}

}  // namespace tenon
