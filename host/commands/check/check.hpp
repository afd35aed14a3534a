// SPDX-License-Identifier: Apache-2.0
// One check of the contract: a function that runs in its own process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/check/verdict.hpp"
#include "config/manifest/document.hpp"
#include "config/option/schema.hpp"
#include "plugins/plugin/component.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

inline constexpr std::uint32_t kFewestLanes = 6;  // for ranges of several sizes
inline constexpr std::uint32_t kUsualLanes = 11;

// What is checked: a component with its options, or the file as a whole.
struct CheckSubject {
    std::shared_ptr<const PluginFile> file;  // its note could be read
    const ComponentNote* component = nullptr;
    std::vector<OptionValue> options;
    std::uint64_t seed = 0;
    double seconds = 0;                        // the time limit of a check
    std::uint32_t lanes = kUsualLanes;         // of envs
    std::shared_ptr<const Document> manifest;  // wires the component, if it needs wiring
    std::vector<std::string> sets;             // values of --set
    std::vector<SearchFolder> plugins;         // for the other components that the manifest names
};

// The later checks that are pointless after this one has failed.
enum class Gate { kNone, kAll, kComparisons };

struct Check {
    struct Traits {
        Gate gate = Gate::kNone;
        bool compares = false;      // compares two instances, which requires that equal instances behave the same
        bool wants_run = false;     // needs a run that a manifest wires
        bool ends_by_exit = false;  // the process ends like a program, through exit handlers and destructors
    };

    std::string_view name;    // the property that holds if it passes: "the same seeds give the same bytes"
    std::string_view breaks;  // where the ABI requires it: "tenon/abi/env.h: step"
    Verdict (*run)(const CheckSubject& subject);
    Traits traits = {};
};

inline constexpr Check::Traits kGate = {.gate = Gate::kAll};
inline constexpr Check::Traits kGateOfComparisons = {.gate = Gate::kComparisons};
inline constexpr Check::Traits kCompares = {.compares = true};

}  // namespace tenon
