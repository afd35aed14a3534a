// SPDX-License-Identifier: Apache-2.0
// What host and worker write to each other comes back as it was, and any other bytes harm nobody.
#include "engines/isolation/messages.hpp"

#include <cstring>

#include "base/data/spec_abi.hpp"
#include "engines/isolation/mailbox.hpp"
#include "support/catch.hpp"

namespace messages_test {

namespace {

using namespace tenon;

WorkerOrder some_order() {
    return {.folder = "/a/folder",
            .component = "classic/CartPole-v1",
            .options = {true, std::int64_t{-3}, 0.5, std::string("text"), std::vector<std::int64_t>{1, 2},
                        std::vector<double>{-0.0, 1e300}, std::vector<std::string>{"a", ""},
                        OptionTable{.json = R"({"a":1})", .toml = "{ a = 1 }"}},
            .lanes = 7,
            .key = {.seed = 1, .stream = ~std::uint64_t{0}}};
}

Composite some_specs() {
    Composite out;
    out.specs.push_back({.key = "observation",
                         .kind = SpecKind::kBounded,
                         .role = Role::kObservation,
                         .dtype = DType::kF32,
                         .shape = {2},
                         .low = {-1, -2},
                         .high = {1, 2},
                         .categories = {}});
    out.specs.push_back({.key = "action",
                         .kind = SpecKind::kCategorical,
                         .role = Role::kAction,
                         .dtype = DType::kI64,
                         .shape = {},
                         .low = {},
                         .high = {},
                         .categories = {3}});
    return out;
}

ColumnsMessage some_columns() {
    return {.lanes = 3,
            .status_offset = 64,
            .inner = {{.key = "reward", .dtype = DType::kF64, .row = {}, .slots = 1, .offset = 128}},
            .outer = {{.key = "observation", .dtype = DType::kU8, .row = {4, 2}, .slots = 2, .offset = 256}}};
}

// Every beginning of a message, and the message with bytes of it changed: read, or not, but without harm.
template <class Read>
void read_damaged(const Bytes& message, const Read& read) {
    for (std::size_t size = 0; size < message.size(); ++size) {
        CHECK_FALSE(read(std::span(message).first(size)));
    }
    for (std::uint64_t i = 0; i < 3000; ++i) {
        Bytes damaged = message;
        const tn_random_block drawn = tn_philox({.seed = 1, .stream = 2}, i);
        for (std::uint32_t change = 0; change <= drawn.word[0] % 3; ++change) {
            damaged[drawn.word[1 + change] % damaged.size()] = static_cast<std::byte>(drawn.word[1 + change] >> 24U);
        }
        static_cast<void>(read(damaged));
    }
}

TEST_CASE("an order for a worker comes back as it was") {
    const WorkerOrder order = some_order();
    const auto read = read_order(write_order(order));
    REQUIRE(read);
    CHECK(read->folder == order.folder);
    CHECK(read->component == order.component);
    CHECK(read->options == order.options);
    CHECK(read->lanes == order.lanes);
    CHECK(read->key.seed == order.key.seed);
    CHECK(read->key.stream == order.key.stream);
    read_damaged(write_order(order), [](std::span<const std::byte> bytes) { return read_order(bytes).has_value(); });
}

TEST_CASE("specs come back as they were") {
    const Composite specs = some_specs();
    const SpecTable table(specs);
    const Bytes message = write_specs(table.data(), table.size(), 1, 500);
    const auto list = read_specs_message(message);
    REQUIRE(list);
    CHECK(list->numbers[0] == 1);
    CHECK(list->numbers[1] == 500);
    const auto read = read_specs(list->data(), list->size(), "it");
    REQUIRE(read);
    CHECK(*read == specs);
    read_damaged(message, [](std::span<const std::byte> bytes) {
        const auto damaged = read_specs_message(bytes);
        return damaged && read_specs(damaged->data(), damaged->size(), "it");
    });
}

TEST_CASE("a number that counts up is reached once it has come or has been passed") {
    Bell bell;
    CHECK(await_reached(bell, 0, 0));
    CHECK_FALSE(await_reached(bell, 1, 0.001));
    announce(bell, 3);
    CHECK(await_reached(bell, 1, 0));
    CHECK(await_reached(bell, 3, 0));
    CHECK_FALSE(await_reached(bell, 4, 0));
    announce(bell, 0xffffffff);
    CHECK_FALSE(await_reached(bell, 1, 0));  // it begins anew after 2^32
    announce(bell, 2);
    CHECK(await_reached(bell, 0xffffffff, 0));
}

TEST_CASE("the places of columns come back as they were") {
    const ColumnsMessage columns = some_columns();
    const auto read = read_columns(write_columns(columns));
    REQUIRE(read);
    CHECK(read->lanes == columns.lanes);
    CHECK(read->status_offset == columns.status_offset);
    REQUIRE(read->inner.size() == 1);
    REQUIRE(read->outer.size() == 1);
    CHECK(read->inner[0].slots == 1);
    CHECK(read->outer[0].key == "observation");
    CHECK(read->outer[0].dtype == DType::kU8);
    CHECK(read->outer[0].row == Shape{4, 2});
    CHECK(read->outer[0].offset == 256);
    read_damaged(write_columns(columns),
                 [](std::span<const std::byte> bytes) { return read_columns(bytes).has_value(); });
}

}  // namespace

}  // namespace messages_test
