// SPDX-License-Identifier: Apache-2.0
// The rows of epochs on a device that has no memory left, or whose copies fail.
#include "train/learn/epoch_rows.hpp"

#include <memory>

#include "engines/cuda/devices.hpp"
#include "support/catch.hpp"

namespace epoch_rows_test {

namespace {

using namespace tenon;

constexpr std::size_t kRows = 10;

tn_status fail(void* ctx, const char* sentence, tn_status status) {
    static_cast<Device*>(ctx)->error = sentence;
    return status;
}

TEST_CASE("rows for which there is no memory say where it lacks") {
    const std::shared_ptr<Device> device = open_emulated();
    SECTION("on the device") {
        device->table.alloc = [](void* ctx, std::uint64_t /*bytes*/, void** /*memory*/) {
            return fail(ctx, "the device is full", TN_OUT_OF_MEMORY);
        };
        EpochRows rows(kRows);
        const Status put = rows.put_on(device, 1);
        REQUIRE_FALSE(put);
        CHECK(put.error().fault == Fault::kEnvironment);
        CHECK(put.error().sentence == "the device is full");
    }
    SECTION("on the host") {
        device->pin = [](void* /*ctx*/, std::uint64_t /*bytes*/) -> void* { return nullptr; };
        EpochRows rows(kRows);
        const Status put = rows.put_on(device, 1);
        REQUIRE_FALSE(put);
        CHECK(put.error().fault == Fault::kEnvironment);
        CHECK(put.error().sentence == "emulated: the host has no 240 bytes of memory for copies");
    }
}

TEST_CASE("rows whose copy fails, or is waited for in vain, have the device's sentence") {
    const std::shared_ptr<Device> device = open_emulated();
    EpochRows rows(kRows);
    REQUIRE(rows.put_on(device, 1));  // 3 epochs fit: the present one, and 2 that the host makes
    device->table.write = [](void* ctx, void* /*to*/, const void* /*from*/, std::uint64_t /*bytes*/) {
        return fail(ctx, "the copy was lost", TN_UNAVAILABLE);
    };
    for (int epoch = 0; epoch < 3; ++epoch) {
        const Result<std::uint32_t*> next = rows.next();
        REQUIRE(next);
        const Status sent = rows.send(*next);
        REQUIRE_FALSE(sent);
        CHECK(sent.error().fault == Fault::kEnvironment);
        CHECK(sent.error().sentence == "the copy was lost");
    }
    device->table.read = [](void* ctx, void* /*to*/, const void* /*from*/, std::uint64_t /*bytes*/) {
        return fail(ctx, "the device is gone", TN_UNAVAILABLE);
    };
    const Result<std::uint32_t*> fourth = rows.next();  // waits for the copies
    REQUIRE_FALSE(fourth);
    CHECK(fourth.error().fault == Fault::kEnvironment);
    CHECK(fourth.error().sentence == "the device is gone");
    CHECK_FALSE(rows.next());  // nothing was freed
    rows.copies_are_made(0);
    CHECK(rows.next());
}

}  // namespace

}  // namespace epoch_rows_test
