// SPDX-License-Identifier: Apache-2.0
// Calls into plugins: converts their status to a Status that names component and function.
#pragma once

#include <string_view>

#include "base/error/result.hpp"
#include "plugins/plugin/call_scope.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/abi/types.h"

namespace tenon {

// "invalid argument"; empty for an undefined status.
std::string_view name_of_status(tn_status status);

// After TN_FATAL only destroy may be called on the instance.
inline bool is_fatal(tn_status status) {
    return status == TN_FATAL;
}

// The plugin's text, if it left one, as a problem with `place`; otherwise a sentence with the status. Clears the text
// of this thread in either case. The fault is the plugin's, but the environment's if memory was short or the machine
// lacks something, and the input's if "create" refuses its arguments.
Status check_call(tn_status status, std::string_view component, std::string_view function, const Place& place = {});

// Makes the call. A C++ exception that escapes from a plugin is its defect, and does not end the host.
template <class Function, class... Args>
tn_status call_plugin(std::string_view component, std::string_view function_name, const Place& place,
                      Function* function, Args... args) {
    const CallScope scope(component, function_name, place);
    constexpr std::string_view kEscaped = "a C++ exception left the plugin; a plugin must catch its exceptions";
    try {
        return function(args...);
    } catch (...) {
        keep_error({kEscaped.data(), kEscaped.size()});
        return TN_INTERNAL;
    }
}

}  // namespace tenon
