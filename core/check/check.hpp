// SPDX-License-Identifier: Apache-2.0
// One check of the contract: a function that runs in a process of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check/verdict.hpp"
#include "manifest/document.hpp"
#include "option/schema.hpp"
#include "plugin/component.hpp"
#include "plugin/search_path.hpp"

namespace tenon {

// What is checked: a component with its options, or the file as a whole.
struct CheckSubject {
    std::shared_ptr<const PluginFile> file;  // its note is there
    const ComponentNote* component = nullptr;
    std::vector<OptionValue> options;
    std::uint64_t seed = 0;
    double seconds = 0;                        // the time limit of a check
    std::shared_ptr<const Document> manifest;  // that wires the component, where it needs to be wired
    std::vector<std::string> sets;             // what was said after --set
    std::vector<SearchFolder> plugins;         // for what else the manifest names
};

// Which of the checks behind it have nothing to look at where it fails.
enum class Gate { kNone, kAll, kComparisons };

struct Check {
    std::string_view name;    // what holds where it passes: "the same seeds give the same bytes"
    std::string_view breaks;  // where it is promised: "tenon/abi/env.h: step"
    Verdict (*run)(const CheckSubject& subject);
    Gate gate = Gate::kNone;
    bool compares = false;      // two instances, which makes sense only where equal ones do the same
    bool wants_run = false;     // looks at a run that a manifest wires
    bool ends_by_exit = false;  // the process ends as a program does, through exit handlers and destructors
};

}  // namespace tenon
