// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/host_services.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log/log.hpp"
#include "base/log/plugin_log.hpp"
#include "base/random/normal.hpp"
#include "plugins/plugin/call_scope.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kMaxAlignment = 4096;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 60U;

// A pool for the time after the host has ended. It has no threads, so that bodies run on the calling thread.
Pool& nobody() {
    static auto& pool = *new Pool(1);
    return pool;
}

Pool& pool_of(void* ctx) {
    return *static_cast<const std::atomic<Pool*>*>(ctx)->load(std::memory_order_acquire);
}

bool is_gone(void* ctx) {
    return &pool_of(ctx) == &nobody();
}

void set_error(void* ctx, tn_status, tn_str text) {
    if (!is_gone(ctx)) {
        keep_error(text);
    }
}

void log_line(void* ctx, std::int32_t level, tn_str text) {
    const Level ours = level <= TN_LOG_DEBUG     ? Level::kDebug
                       : level == TN_LOG_INFO    ? Level::kInfo
                       : level == TN_LOG_WARNING ? Level::kWarning
                                                 : Level::kError;
    if (text.data != nullptr && !is_gone(ctx)) {
        const CallScope* const scope = CallScope::current();
        const std::string who = scope != nullptr ? std::string(scope->component()) + ": " : "";
        // Instances are made for training, for evaluations, and to inspect the env; all of them report the same about
        // it.
        const bool is_being_made = scope != nullptr && scope->function() == "create";
        (is_being_made ? log_once : log_of_plugin)(ours, who + repaired({text.data, text.size}));
    }
}

void normal(void*, tn_key key, std::uint64_t counter, double* out, std::uint64_t count) {
    fill_normal(key, counter, out, count);
}

void parallel_for(void* ctx, std::uint64_t n, std::uint64_t grain, Pool::Body body, void* arg) {
    struct Job {
        Pool::Body body;
        void* arg;
        const CallScope* caller;
    };
    Job job{.body = body, .arg = arg, .caller = CallScope::current()};
    const auto in_scope = [](void* of, std::uint64_t first, std::uint64_t count) {
        const Job& given = *static_cast<const Job*>(of);
        std::optional<CallScope> scope;
        if (given.caller != nullptr) {
            scope.emplace(*given.caller);
        }
        given.body(given.arg, first, count);
    };
    pool_of(ctx).parallel_for(n, grain, in_scope, &job);
}

void* allocate(void*, std::uint64_t bytes, std::uint64_t alignment) {
    if (!std::has_single_bit(alignment) || alignment > kMaxAlignment || bytes > kMaxBytes) {
        return nullptr;
    }
    const std::uint64_t unit = std::max<std::uint64_t>(alignment, alignof(std::max_align_t));
    const std::uint64_t units = bytes / unit + (bytes % unit != 0 ? 1 : 0);
    return std::aligned_alloc(unit, std::max<std::uint64_t>(units, 1) * unit);
}

void release(void*, void* memory) {
    std::free(memory);
}

}  // namespace

HostServices::HostServices(Pool& pool) : desk_(keep(std::make_unique<Desk>())) {
    desk_->pool.store(&pool, std::memory_order_release);
    desk_->table = {.struct_size = sizeof(tn_host),
                    .abi_major = TN_ABI_MAJOR,
                    .abi_minor = TN_ABI_MINOR,
                    .ctx = &desk_->pool,
                    .set_error = set_error,
                    .log = log_line,
                    .normal = normal,
                    .parallel_for = parallel_for,
                    .alloc = allocate,
                    .free = release};
}

HostServices::~HostServices() {
    desk_->pool.store(&nobody(), std::memory_order_release);
}

// Keeps it for ever, reachable for leak checkers.
HostServices::Desk* HostServices::keep(std::unique_ptr<Desk> desk) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::unique_ptr<Desk>>;
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(desk));
    return kept.back().get();
}

}  // namespace tenon
