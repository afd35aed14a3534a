// SPDX-License-Identifier: Apache-2.0
#include "commands/check/headers.hpp"

#include <array>

#include "plugins/plugin/load.hpp"

namespace tenon {
namespace {

struct Rule {
    std::string_view function;
    std::string_view header;
};

// Functions that occur in only one interface.
constexpr std::array<Rule, 27> kRules = {{{"init", "plugin.h"},
                                          {"deinit", "plugin.h"},
                                          {"get_component", "plugin.h"},
                                          {"get_interface", "plugin.h"},
                                          {"create", "plugin.h"},
                                          {"destroy", "plugin.h"},
                                          {"save", "state.h"},
                                          {"load", "state.h"},
                                          {"gather", "common.h"},
                                          {"part", "common.h"},
                                          {"join", "common.h"},
                                          {"reset", "env.h"},
                                          {"step", "env.h"},
                                          {"attach", "wrapper.h"},
                                          {"apply", "transform.h"},
                                          {"invert", "transform.h"},
                                          {"plan", "sampler.h"},
                                          {"sample", "sampler.h"},
                                          {"prioritise", "sampler.h"},
                                          {"enqueue_sample", "device_sampler.h"},
                                          {"enqueue_prioritise", "device_sampler.h"},
                                          {"enqueue_reset", "device_env.h"},
                                          {"enqueue_step", "device_env.h"},
                                          {"act", "policy.h"},
                                          {"call", "hook.h"},
                                          {"functions", "graph.h"},
                                          {"build", "graph.h"}}};

}  // namespace

std::string promised_in(std::string_view kind, std::string_view function) {
    for (const Rule& rule : kRules) {
        if (rule.function == function) {
            return "tenon/abi/" + std::string(rule.header) + ": " + std::string(function);
        }
    }
    if (function == "describe" || function == "bind") {
        return "tenon/abi/" + std::string(kind) + ".h: " + std::string(function);
    }
    // The author chooses the names of a graph's functions.
    const bool may_be_graph = kind == "objective" || kind == "policy" || kind == "transform";
    return may_be_graph && function != kLoadingIt ? "tenon/abi/graph.h: build" : "tenon/abi/plugin.h: tn_plugin_entry";
}

}  // namespace tenon
