// SPDX-License-Identifier: Apache-2.0
// The functions of one interface, the instance they are called on, and its display name.
#pragma once

#include <string>
#include <string_view>

#include "plugins/plugin/call.hpp"
#include "plugins/plugin/instance.hpp"
#include "tenon/abi/arithmetic.h"
#include "tenon/abi/common.h"
#include "tenon/abi/env_async.h"
#include "tenon/abi/live.h"
#include "tenon/abi/render.h"
#include "tenon/abi/state.h"

namespace tenon {

template <class Api>
struct Callee {
    const Api* api = nullptr;
    void* self = nullptr;
    std::string name;
    Place place;
    const tn_state_api* state = nullptr;            // null if the component saves no state
    const tn_common_api* common = nullptr;          // null if its lanes share no state
    const tn_render_api* render = nullptr;          // null if it draws no pictures
    const tn_live_api* live = nullptr;              // null if its options stay as they are
    const tn_arithmetic_api* arithmetic = nullptr;  // null if it does not say what it does as numbers
    LostLanes* lost = nullptr;                      // null if it runs in this process
    const tn_env_async_api* async = nullptr;        // null if it is no env whose steps may end later

    // Borrows the instance. Loading has checked that the component offers the interface that its kind requires.
    static Callee of(const Instance& instance, const char* interface_id) {
        return {.api = instance.interface<Api>(interface_id),
                .self = instance.self(),
                .name = instance.name(),
                .place = instance.place(),
                .state = instance.interface<tn_state_api>("tenon.state/1"),
                .common = instance.interface<tn_common_api>("tenon.common/1"),
                .render = instance.interface<tn_render_api>("tenon.render/1"),
                .live = instance.interface<tn_live_api>("tenon.live/1"),
                .arithmetic = instance.interface<tn_arithmetic_api>("tenon.arithmetic/1"),
                .lost = instance.lost(),
                .async = instance.interface<tn_env_async_api>("tenon.env.async/1")};
    }

    // Calls a function of the table; the status becomes a problem with the component's name.
    template <class Function, class... Args>
    [[nodiscard]] Status call(std::string_view function_name, Function* function, Args... args) const {
        const tn_status status = call_plugin(name, function_name, place, function, self, args...);
        if (status != TN_OK) {
            return check_call(status, name, function_name, place);
        }
        drop_error();
        return {};
    }

    [[nodiscard]] Problem problem(const std::string& sentence) const {
        return plugin_problem(name + ": " + sentence, place);
    }
};

// The component that is at fault, whichever interface it has. The callee must outlive this.
struct Blamed {
    const std::string* name;
    const Place* place;

    template <class Api>
    static Blamed of(const Callee<Api>& callee) {
        return {.name = &callee.name, .place = &callee.place};
    }

    [[nodiscard]] Problem problem(const std::string& sentence) const {
        return plugin_problem(*name + ": " + sentence, *place);
    }
    bool operator==(const Blamed&) const = default;
};

}  // namespace tenon
