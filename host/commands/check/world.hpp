// SPDX-License-Identifier: Apache-2.0
// An artificial env for components that need one: random observations and rewards, episodes of random length, several
// kinds of columns to choose from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/data/column_table.hpp"
#include "base/data/spec.hpp"
#include "tenon/abi/random.h"
#include "tenon/abi/state.h"

namespace tenon {

// Bounded numbers with a categorical action, unbounded numbers with a continuous action, images with a categorical
// action.
std::span<const Composite> worlds();

class World {
public:
    static constexpr std::int64_t kLimit = 20;

    World(const Composite& specs, std::uint32_t lanes) : specs_(&specs), lanes_(lanes) {}

    void bind(const ColumnTable& columns) { columns_ = &columns; }
    void seed(std::uint32_t lane, std::uint64_t seed) { lanes_[lane] = {.key = {seed, 0}}; }
    void begin(std::uint32_t lane, std::uint32_t slot);
    void step(std::uint32_t lane, std::uint32_t slot, std::uint32_t next);

    // A number that distinguishes the states of a lane, for pictures.
    [[nodiscard]] std::uint64_t counter(std::uint32_t lane) const { return lanes_[lane].counter; }

    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer);
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader);

private:
    // The complete state of a lane.
    struct Lane {
        tn_key key{};
        std::uint64_t counter = 0;
        std::int64_t steps = 0;
    };

    void observe(Lane& lane, std::uint32_t number, std::uint32_t slot, bool is_last);

    const Composite* specs_;
    const ColumnTable* columns_ = nullptr;
    std::vector<Lane> lanes_;
};

}  // namespace tenon
