// SPDX-License-Identifier: Apache-2.0
// The current build and the author's line in it. Nodes that a function of the SDK adds carry the line on which the
// author called that function, so that the host's messages point to the author's file and not to a header.
#pragma once

#include <set>
#include <source_location>
#include <string>
#include <string_view>

#include "tenon/abi/graph.h"
#include "tenon/abi/host.h"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {
namespace detail {

// One per thread, set while a build function runs.
struct Build {
    const tn_graph_api* api;
    tn_graph* graph;
    std::string_view mode;  // train, act, eval
    const tn_host* host = nullptr;
    std::set<std::string>* warned = nullptr;                    // warnings that the component has already given
    mutable const std::source_location* called_from = nullptr;  // null while the author's own code runs
};

inline const Build*& current_build() {
    thread_local const Build* current = nullptr;
    return current;
}

// Marks the start of a function of the SDK, or of an expression: return CalledFrom(at), a + b. If functions of the SDK
// call each other, the outermost one counts, because the author called it.
class CalledFrom {
public:
    explicit CalledFrom(const std::source_location& at)
        : at_(at), build_(*current_build()), outer_(build_.called_from) {
        build_.called_from = outer_ == nullptr ? &at_ : outer_;
    }
    ~CalledFrom() { build_.called_from = outer_; }
    CalledFrom(const CalledFrom&) = delete;
    CalledFrom& operator=(const CalledFrom&) = delete;

private:
    std::source_location at_;
    const Build& build_;
    const std::source_location* outer_;
};

inline tn_source to_source(const std::source_location& at) {
    const std::source_location* caller = current_build()->called_from;
    const std::source_location& line = caller == nullptr ? at : *caller;
    return {line.file_name(), line.function_name(), line.line(), line.column()};
}

}  // namespace detail
}  // namespace TENON_SDK
}  // namespace tenon
