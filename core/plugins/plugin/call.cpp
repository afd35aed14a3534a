// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/call.hpp"

namespace tenon {

std::string_view name_of_status(tn_status status) {
    switch (status) {
        case TN_OK:
            return "ok";
        case TN_INVALID_ARGUMENT:
            return "invalid argument";
        case TN_NOT_FOUND:
            return "not found";
        case TN_FAILED_PRECONDITION:
            return "failed precondition";
        case TN_UNIMPLEMENTED:
            return "unimplemented";
        case TN_UNAVAILABLE:
            return "unavailable";
        case TN_OUT_OF_MEMORY:
            return "out of memory";
        case TN_DATA_LOSS:
            return "data loss";
        case TN_INTERNAL:
            return "internal error";
        case TN_FATAL:
            return "fatal error";
        default:
            return {};
    }
}

Status check_call(tn_status status, std::string_view component, std::string_view function, const Place& place) {
    if (status == TN_OK) {
        drop_error();
        return {};
    }
    std::string sentence(component);
    if (function != "create") {  // create refuses options, so its sentence is about them and not about a function
        sentence += ", " + std::string(function);
    }
    std::string text = take_error();
    // If a component refuses creation with a sentence, the manifest's input is wrong.
    const bool refused = status == TN_INVALID_ARGUMENT && function == "create" && !text.empty();
    const std::string_view name = name_of_status(status);
    if (!text.empty()) {
        sentence += ": " + text;
    } else if (!name.empty()) {
        sentence += ": " + std::string(function) + " failed without saying why (" + std::string(name) + ")";
    } else {
        sentence += ": " + std::string(function) + " returned status " + std::to_string(status) +
                    ", which is not a status; it is treated as an internal error";
    }
    if (status == TN_OUT_OF_MEMORY || status == TN_UNAVAILABLE) {
        return environment_problem(std::move(sentence), place);
    }
    return refused ? input_problem(std::move(sentence), place) : plugin_problem(std::move(sentence), place);
}

}  // namespace tenon
