// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "library/tenon.h"
#include "tenon/core.hpp"

#define TENON_EXPORT extern "C" __attribute__((visibility("default")))

struct tenon_driven {
    std::unique_ptr<tenon::DriveEnv> env;  // or else the policy
    std::unique_ptr<tenon::DrivePolicy> policy;
    std::string columns;

    [[nodiscard]] const tenon::Storage& storage() const { return env ? env->storage() : policy->storage(); }
};

namespace {

thread_local std::string error;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): of a C interface

constexpr int kDefect = 1;

void keep(const tenon::Problems& problems) {
    for (const tenon::Problem& problem : problems) {
        error += (error.empty() ? "" : "\n") + tenon::render_unlabelled(problem);
    }
}

int code_of(const tenon::Status& status) {
    if (status) {
        return 0;
    }
    keep({status.error()});
    return static_cast<int>(status.error().fault);
}

// No exception leaves the library.
template <class Function>
auto guarded(Function function, decltype(function()) failed) noexcept {
    error.clear();
    try {
        return function();
    } catch (const std::exception& caught) {
        error = caught.what();
        return failed;
    }
}

tenon_driven* opened(std::unique_ptr<tenon_driven> made, const tenon::Problems& problems) {
    keep(problems);
    return made->env || made->policy ? made.release() : nullptr;
}

const tenon::StorageColumn* find(const tenon_driven* handle, const char* key) {
    return handle->storage().find(key);
}

}  // namespace

TENON_EXPORT const char* tenon_error(void) {
    return error.c_str();
}

TENON_EXPORT tenon_driven* tenon_env_open(const char* env, int64_t lanes, const char* const* sets, uint64_t count) {
    return guarded(
        [&]() -> tenon_driven* {
            tenon::set_log_level(tenon::Level::kWarning);
            const std::vector<std::string> texts(sets, sets + count);
            tenon::Problems problems;
            auto made = std::make_unique<tenon_driven>();
            made->env = tenon::DriveEnv::open(
                {.env = env, .lanes = lanes, .overrides = tenon::given_by_set(texts), .plugins = {}}, problems);
            return opened(std::move(made), problems);
        },
        nullptr);
}

TENON_EXPORT tenon_driven* tenon_policy_open(const char* folder, const char* checkpoint, const char* actions,
                                             int64_t lanes) {
    return guarded(
        [&]() -> tenon_driven* {
            tenon::set_log_level(tenon::Level::kWarning);
            tenon::ScoringRequest request;
            request.folder = folder;
            request.checkpoint = checkpoint != nullptr ? std::optional<std::string>(checkpoint) : std::nullopt;
            request.actions = actions != nullptr ? std::optional<std::string>(actions) : std::nullopt;
            tenon::Problems problems;
            auto made = std::make_unique<tenon_driven>();
            const auto rows = static_cast<std::uint32_t>(std::max<int64_t>(lanes, 1));
            made->policy = tenon::DrivePolicy::open(request, rows, problems);
            return opened(std::move(made), problems);
        },
        nullptr);
}

TENON_EXPORT void tenon_close(tenon_driven* handle) {
    delete handle;  // NOLINT(cppcoreguidelines-owning-memory): of a C interface
}

TENON_EXPORT const char* tenon_columns(tenon_driven* handle) {
    return guarded(
        [&]() -> const char* {
            handle->columns =
                tenon::columns_text(handle->env ? handle->env->specs() : handle->policy->specs(), handle->storage());
            return handle->columns.c_str();
        },
        nullptr);
}

TENON_EXPORT void* tenon_column(tenon_driven* handle, const char* key) {
    const tenon::StorageColumn* const column = find(handle, key);
    return column != nullptr ? column->view.data : nullptr;
}

TENON_EXPORT void* tenon_final(tenon_driven* handle, const char* key) {
    const tenon::StorageColumn* const column = find(handle, key);
    return column != nullptr ? column->final.data : nullptr;
}

TENON_EXPORT uint32_t tenon_head(tenon_driven* handle) {
    return handle->storage().head();
}

TENON_EXPORT int tenon_env_reset(tenon_driven* handle, int64_t seed) {
    return guarded(
        [&] {
            return code_of(handle->env->reset(seed >= 0 ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(seed))
                                                        : std::nullopt));
        },
        kDefect);
}

TENON_EXPORT int tenon_policy_begin(tenon_driven* handle, const uint8_t* mask) {
    handle->policy->begin(mask);
    return 0;
}

TENON_EXPORT int tenon_env_step(tenon_driven* handle) {
    return guarded([&] { return code_of(handle->env->step()); }, kDefect);
}

TENON_EXPORT int tenon_policy_act(tenon_driven* handle) {
    return guarded([&] { return code_of(handle->policy->act()); }, kDefect);
}
