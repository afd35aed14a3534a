// SPDX-License-Identifier: Apache-2.0
#include "plugin/call_scope.hpp"

namespace tenon {
namespace {

constinit thread_local const CallScope* innermost = nullptr;

}  // namespace

CallScope::CallScope(std::string_view component, std::string_view function, const Place& place)
    : component_(component), function_(function), place_(&place), outer_(innermost) {
    innermost = this;
}

CallScope::CallScope(const CallScope& caller) : CallScope(caller.component_, caller.function_, *caller.place_) {}

CallScope::~CallScope() {
    innermost = outer_;
}

const CallScope* CallScope::current() {
    return innermost;
}

}  // namespace tenon
