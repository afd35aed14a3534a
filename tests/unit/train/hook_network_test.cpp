// SPDX-License-Identifier: Apache-2.0
#include "train/loop/hook_network.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "compute/parameters/network.hpp"
#include "support/catch.hpp"

namespace hook_network_test {

using namespace tenon;

TEST_CASE("a hook sees the trainable parameters of all members, row after row") {
    Network network;
    network.layout.role = "value";
    network.layout.members = 2;
    network.layout.ensemble = true;
    for (const auto& [name, shape] : {std::pair{"w", std::vector<std::int64_t>{3, 4}}, {"b", {3}}}) {
        REQUIRE(declare(network.layout, {.name = name, .shape = shape, .init = "zeros"}));
    }
    REQUIRE(declare(network.layout, {.name = "mean", .shape = {5}, .init = "zeros", .trainable = false}));
    place(network.layout);
    REQUIRE(initialise(network, DType::kF32, 1, false));
    const HookNetworkView seen(network, DType::kF32);
    REQUIRE(seen.view().parameter_count == 2);
    const auto list = [](const std::int64_t* numbers, std::uint32_t count) {
        return std::vector<std::int64_t>(numbers, numbers + count);
    };
    for (const tn_column* const* columns : {seen.view().parameters, seen.view().gradients}) {
        const tn_tensor& w = columns[0]->tensor;
        CHECK(list(w.shape, w.rank) == std::vector<std::int64_t>{2, 3, 4});
        CHECK(list(w.strides, w.rank) == std::vector<std::int64_t>{12, 4, 1});
        const tn_tensor& b = columns[1]->tensor;
        CHECK(list(b.shape, b.rank) == std::vector<std::int64_t>{2, 3});
        CHECK(list(b.strides, b.rank) == std::vector<std::int64_t>{3, 1});
    }
}

}  // namespace hook_network_test
