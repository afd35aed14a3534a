// SPDX-License-Identifier: Apache-2.0
#include "commands/play/controls.hpp"

#include <cstdint>

#include "support/catch.hpp"

namespace controls_test {

using namespace tenon;

namespace {

Spec action(SpecKind kind, Shape shape, std::vector<std::int64_t> categories = {}, DType dtype = DType::kI64) {
    return {.key = "action",
            .kind = kind,
            .role = Role::kAction,
            .dtype = dtype,
            .shape = std::move(shape),
            .low = {},
            .high = {},
            .categories = std::move(categories)};
}

// The controls of an env with that action, and a storage for it.
struct Seat {
    explicit Seat(Spec spec, std::vector<Spec> others = {}) {
        others.insert(others.begin(), std::move(spec));
        std::vector<StorageColumn> columns;
        for (const Spec& each : others) {
            columns.push_back(
                {.key = each.key, .role = each.role, .dtype = each.dtype, .row = each.shape, .view = {}, .final = {}});
        }
        controls.emplace(*Controls::make({others}, "lib/Env"));
        storage.emplace(*Storage::make(std::move(columns), 2, 2));
    }
    void press(std::initializer_list<std::string_view> keys) {
        for (const std::string_view key : keys) {
            CHECK(controls->press(key));
        }
        controls->write(*storage);
    }
    template <class T>
    T value(std::size_t element, std::uint32_t lane = 0) {
        return static_cast<const T*>(row_at(storage->find("action")->view, storage->head(), lane))[element];
    }

    std::optional<Controls> controls;
    std::optional<Storage> storage;
};

}  // namespace

TEST_CASE("keys move each number of several within its bounds, in all lanes") {
    Spec spec = action(SpecKind::kBounded, {2}, {}, DType::kF32);
    spec.low = {-1, 0};
    spec.high = {1, 10};
    Seat seat(spec);
    seat.press({"right", "d", "w", "up", "down", "down", "down"});
    CHECK(seat.value<float>(0) == 0.4F);
    CHECK(seat.value<float>(1, 1) == 0);
    CHECK(seat.controls->keys() == "left/right: number 1, down/up: number 2, space: none");
    CHECK(seat.controls->now() == "action: 0.4 0");
    seat.press({"up", "space"});
    CHECK(seat.value<float>(0) == 0);
    CHECK_FALSE(seat.controls->press("x"));
}

TEST_CASE("keys make choices of every kind") {
    Seat one(action(SpecKind::kOneHot, {12}, {12}, DType::kBool));
    one.press({"9", "right", "right", "right", "left"});
    CHECK(one.value<std::uint8_t>(10) == 1);
    CHECK(one.value<std::uint8_t>(9) == 0);

    Seat several(action(SpecKind::kMultiCategorical, {3}, {2, 3, 4}));
    several.press({"right", "right", "up", "d", "d"});
    CHECK(several.value<std::int64_t>(0) == 1);
    CHECK(several.value<std::int64_t>(1) == 1);
    CHECK(several.value<std::int64_t>(2) == 2);

    Seat flags(action(SpecKind::kBinary, {2}, {}, DType::kBool));
    flags.press({"up", "right", "left"});
    CHECK(flags.value<std::uint8_t>(0) == 0);
    CHECK(flags.value<std::uint8_t>(1) == 1);
}

TEST_CASE("what a mask forbids is told apart") {
    Spec mask{.key = "action_mask",
              .kind = SpecKind::kBinary,
              .role = Role::kObservation,
              .dtype = DType::kBool,
              .shape = {4},
              .low = {},
              .high = {},
              .categories = {}};
    Seat seat(action(SpecKind::kCategorical, {}, {4}), {mask});
    static_cast<std::uint8_t*>(row_at(seat.storage->find("action_mask")->view, seat.storage->head(), 0))[2] = 1;
    seat.press({"2"});
    CHECK(seat.controls->is_allowed(*seat.storage));
    seat.press({"right"});
    CHECK_FALSE(seat.controls->is_allowed(*seat.storage));
}

TEST_CASE("actions of more numbers than there are keys are refused") {
    const Result<Controls> made = Controls::make({{action(SpecKind::kUnbounded, {17}, {}, DType::kF32)}}, "lib/Env");
    REQUIRE_FALSE(made);
    CHECK(made.error().sentence == "no person can play lib/Env: its actions have 17 numbers, and keys control 8");
}

}  // namespace controls_test
