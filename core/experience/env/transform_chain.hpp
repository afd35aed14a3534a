// SPDX-License-Identifier: Apache-2.0
// Runs the transforms of an env that are procedures, without the env: a caller gives observations, for one seat at a
// time. A seat is a lane of the transforms, with its own stack of frames and its own counter of steps. Rewards are
// zeros, and ends of episodes that a transform sets are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/data/spec.hpp"
#include "base/error/result.hpp"
#include "experience/replay/callee.hpp"
#include "plugins/plugin/instance.hpp"
#include "tenon/abi/state.h"
#include "tenon/abi/transform.h"

namespace tenon {

class TransformChain {
public:
    // `env`: the columns before the transforms, which were made for so many seats.
    static Result<TransformChain> make(std::vector<Instance> transforms, const Composite& env, std::uint32_t seats);
    TransformChain(TransformChain&&) noexcept;
    TransformChain& operator=(TransformChain&&) noexcept;
    ~TransformChain();

    [[nodiscard]] const Composite& inner() const;  // of the env
    [[nodiscard]] const Composite& outer() const;  // of the policy

    // Loads the state that training has learnt, as Lanes::save_common has written it.
    Status load_common(const tn_reader& reader);

    // Passes an observation of a seat through the transforms: the rows of the columns `keys` of the inner side. first:
    // it begins an episode, and this is the seed of the seat's generators.
    Status observe(std::uint32_t seat, bool first, std::uint64_t seed, std::span<const std::string_view> keys,
                   std::span<const std::byte* const> rows);
    // The outer row of a column: the observation that observe has written, or the place for the policy's action.
    [[nodiscard]] std::byte* outer_row(std::string_view key, std::uint32_t seat);
    // Converts the action to the env's form, which is valid until the next call for this seat.
    Status invert(std::uint32_t seat);
    [[nodiscard]] const std::byte* inner_row(std::string_view key, std::uint32_t seat) const;

private:
    struct State;
    explicit TransformChain(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;  // on the heap, because plugins keep addresses inside it
};

// Loads the state that all lanes of transforms share (lanes_common.cpp).
Status load_common_of(const std::vector<Callee<tn_transform_api>>& transforms, const tn_reader& reader);

}  // namespace tenon
