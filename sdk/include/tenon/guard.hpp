// SPDX-License-Identifier: Apache-2.0
// Errors of a plugin's author, and the one place that catches exceptions: no exception ever reaches the host.
//
//     throw tenon::InvalidArgument("the action must be finite");
//
// becomes TN_INVALID_ARGUMENT with that sentence. Any other exception becomes TN_INTERNAL with its what().
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tenon/abi/host.h"
#include "tenon/abi/types.h"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

class Error : public std::runtime_error {
public:
    // An empty sentence means that the host has one already: that of an inner env whose failure is passed on.
    Error(tn_status status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}

    [[nodiscard]] tn_status status() const { return status_; }

private:
    tn_status status_;
};

template <tn_status Status>
class ErrorOf : public Error {
public:
    explicit ErrorOf(const std::string& sentence) : Error(Status, sentence) {}
};

using InvalidArgument = ErrorOf<TN_INVALID_ARGUMENT>;
using NotFound = ErrorOf<TN_NOT_FOUND>;
using FailedPrecondition = ErrorOf<TN_FAILED_PRECONDITION>;
using Unimplemented = ErrorOf<TN_UNIMPLEMENTED>;
using Unavailable = ErrorOf<TN_UNAVAILABLE>;
using DataLoss = ErrorOf<TN_DATA_LOSS>;
using Lost = ErrorOf<TN_LOST>;  // of an env: its state of the lane is lost, and reset can begin an episode
using Fatal = ErrorOf<TN_FATAL>;

constexpr tn_str to_str(std::string_view text) {
    return {text.data(), text.size()};
}
constexpr std::string_view to_view(tn_str text) {
    return {text.data, static_cast<std::size_t>(text.size)};
}

// Passes the sentence to the host and returns the status.
inline tn_status fail(const tn_host& host, tn_status status, std::string_view sentence) noexcept {
    host.set_error(host.ctx, status, to_str(sentence));
    return status;
}

// The exception in flight as a status and a sentence. Not a template, because this is most of guard's code.
[[gnu::cold, gnu::noinline]] inline tn_status fail_by_exception(const tn_host& host) noexcept {
    try {
        throw;
    } catch (const Error& error) {
        return *error.what() == '\0' ? error.status() : fail(host, error.status(), error.what());
    } catch (const std::bad_alloc&) {
        return fail(host, TN_OUT_OF_MEMORY, "an allocation in the plugin failed");
    } catch (const std::exception& error) {
        return fail(host, TN_INTERNAL, error.what());
    } catch (...) {
        return fail(host, TN_INTERNAL, "the plugin threw something that is not a std::exception");
    }
}

// Runs body, which returns nothing or a status, and converts whatever it throws into a status and a sentence.
template <class Body>
tn_status guard(const tn_host& host, Body&& body) noexcept {
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
            std::forward<Body>(body)();
            return TN_OK;
        } else {
            return std::forward<Body>(body)();
        }
    } catch (...) {
        return fail_by_exception(host);
    }
}

}  // namespace TENON_SDK
}  // namespace tenon
