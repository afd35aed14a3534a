// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/host_services.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "plugins/plugin/call_scope.hpp"
#include "plugins/plugin/error_text.hpp"
#include "support/captured_stderr.hpp"
#include "support/catch.hpp"

namespace host_services_test {

using namespace tenon;

TEST_CASE("the table is complete and says what it is") {
    Pool pool(1);
    const HostServices services(pool);
    const tn_host& host = services.table();
    CHECK(host.struct_size == sizeof(tn_host));
    CHECK(host.abi_major == TN_ABI_MAJOR);
    CHECK(host.abi_minor == TN_ABI_MINOR);
    host.set_error(host.ctx, TN_INTERNAL, {"why", 3});
    CHECK(take_error() == "why");
    host.log(host.ctx, TN_LOG_DEBUG, {"below the level, so not seen", 28});
    host.log(host.ctx, TN_LOG_DEBUG, {nullptr, 5});
}

TEST_CASE("log lines name the component that is being called, in whichever thread") {
    Pool pool(2);
    const HostServices services(pool);
    const tn_host& host = services.table();
    const Place place;
    const test::CapturedStderr captured;
    host.log(host.ctx, TN_LOG_WARNING, {"by nobody", 9});
    {
        const CallScope scope("lib/env", "step", place);
        host.log(host.ctx, TN_LOG_WARNING, {"one", 3});
        {
            const CallScope inner("lib/transform", "apply", place);
            host.log(host.ctx, TN_LOG_INFO, {"two", 3});
        }
        const auto body = [](void* of, std::uint64_t, std::uint64_t) {
            const auto* const to = static_cast<const tn_host*>(of);
            to->log(to->ctx, TN_LOG_ERROR, {"three", 5});
        };
        host.parallel_for(host.ctx, 2, 1, body, const_cast<tn_host*>(&host));
    }
    CHECK(captured.text() ==
          "warning: by nobody\nwarning: lib/env: one\ninfo: lib/transform: two\n"
          "error: lib/env: three\nerror: lib/env: three\n");
}

TEST_CASE("normal is the host's one map") {
    Pool pool(1);
    const HostServices services(pool);
    const tn_key key = make_key(5, "x");
    std::vector<double> given(10);
    std::vector<double> expected(10);
    services.table().normal(services.table().ctx, key, 3, given.data(), given.size());
    fill_normal(key, 3, expected.data(), expected.size());
    CHECK(given == expected);
}

TEST_CASE("parallel_for runs on the pool") {
    Pool pool(2);
    const HostServices services(pool);
    std::atomic<std::uint64_t> sum{0};
    const auto body = [](void* arg, std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t i = first; i < first + count; ++i) {
            static_cast<std::atomic<std::uint64_t>*>(arg)->fetch_add(i);
        }
    };
    services.table().parallel_for(services.table().ctx, 1000, 7, body, &sum);
    CHECK(sum.load() == 499'500);
}

TEST_CASE("memory is aligned as asked, and what cannot be is refused") {
    Pool pool(1);
    const HostServices services(pool);
    const tn_host& host = services.table();
    for (const std::uint64_t alignment : {1U, 8U, 64U, 4096U}) {
        for (const std::uint64_t bytes : {0U, 1U, 63U, 64U, 100'000U}) {
            void* memory = host.alloc(host.ctx, bytes, alignment);
            REQUIRE(memory != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
            std::memset(memory, 1, bytes);
            host.free(host.ctx, memory);
        }
    }
    CHECK(host.alloc(host.ctx, 8, 0) == nullptr);
    CHECK(host.alloc(host.ctx, 8, 24) == nullptr);
    CHECK(host.alloc(host.ctx, 8, 8192) == nullptr);
    CHECK(host.alloc(host.ctx, ~std::uint64_t{0}, 64) == nullptr);
    host.free(host.ctx, nullptr);
}

TEST_CASE("a plugin that calls after its host has gone is not heard and harms nobody") {
    const tn_host* table = nullptr;
    void* memory = nullptr;
    {
        Pool pool(2);
        const HostServices services(pool);
        table = &services.table();
        memory = table->alloc(table->ctx, 100, 64);
    }
    take_error();
    table->set_error(table->ctx, TN_INTERNAL, {"too late", 8});
    CHECK(take_error().empty());
    table->log(table->ctx, TN_LOG_ERROR, {"too late", 8});
    std::vector<std::uint64_t> firsts;
    const auto body = [](void* arg, std::uint64_t first, std::uint64_t) {
        static_cast<std::vector<std::uint64_t>*>(arg)->push_back(first);
    };
    table->parallel_for(table->ctx, 20, 8, body, &firsts);
    CHECK(firsts == std::vector<std::uint64_t>{0, 8, 16});
    table->free(table->ctx, memory);
}

}  // namespace host_services_test
