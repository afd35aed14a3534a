// SPDX-License-Identifier: Apache-2.0
// Networks for tests, and their slabs as typed spans.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compute/parameters/network.hpp"
#include "support/catch.hpp"

namespace tenon::test {

template <class Real>
constexpr DType kRealType = sizeof(Real) == 8 ? DType::kF64 : DType::kF32;

template <class Real>
std::span<Real> span_of(const Slab& slab) {
    return {slab.as<Real>(), slab.size() / sizeof(Real)};
}

template <class Real>
std::span<Real> span_of(const Slab& slab, const Parameter& parameter) {
    return span_of<Real>(slab).subspan(parameter.offset, parameter.size);
}

inline Parameter parameter(std::string name, std::vector<std::int64_t> shape, std::string init = "zeros",
                           double scale = 0, bool trainable = true) {
    return {.name = std::move(name),
            .shape = std::move(shape),
            .init = std::move(init),
            .scale = scale,
            .trainable = trainable};
}

inline NetworkLayout empty_layout(std::string role, std::int64_t members = 1) {
    NetworkLayout layout;
    layout.role = std::move(role);
    layout.members = members;
    layout.ensemble = members > 1;
    return layout;
}

inline Network make_network(std::string role, const std::vector<Parameter>& parameters, DType real,
                            std::int64_t members = 1, std::uint64_t seed = 1, bool wants_target = false) {
    Network network;
    network.layout = empty_layout(std::move(role), members);
    for (const Parameter& each : parameters) {
        REQUIRE(declare(network.layout, each));
    }
    place(network.layout);
    REQUIRE(initialise(network, real, seed, wants_target));
    return network;
}

}  // namespace tenon::test
