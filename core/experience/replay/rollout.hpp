// SPDX-License-Identifier: Apache-2.0
// A whole range of slots as a batch [time][lane], for on-policy objectives. Columns are views of the storage where
// possible. Next values, done and ranges that wrap around are copies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/data/batch.hpp"
#include "base/data/slab.hpp"
#include "base/data/view.hpp"
#include "experience/replay/reader.hpp"

namespace tenon {

class Rollout {
public:
    // One column per key, in their order; reader: as in resolve. Reserves memory for copies of `max_steps` slots.
    // Borrows the storage's memory: the storage may be moved, but not destroyed.
    static Result<Rollout> make(const Storage& storage, std::span<const std::string> keys, std::string_view reader,
                                std::uint32_t max_steps);

    // Provides the transitions that start at `first` and the steps - 1 slots after it; all must be complete. The views
    // are valid until the next call or the next change of the storage.
    void assemble(std::uint32_t first, std::uint32_t steps);

    [[nodiscard]] std::span<const ReaderColumn> columns() const { return columns_; }
    [[nodiscard]] std::span<const View> views() const { return views_; }  // [steps][lanes][row]

private:
    std::vector<ReaderColumn> columns_;
    std::vector<View> stored_;  // of the storage, [slots][lanes][row]; for done, the shape of the flags
    std::vector<View> finals_;
    std::vector<Slab> memory_;
    std::vector<View> views_;
    const std::uint8_t* terminated_ = nullptr;
    const std::uint8_t* truncated_ = nullptr;
    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint32_t max_steps_ = 0;
};

// The transitions as a batch [lane, time]: views, which are valid as long as those of the rollout.
Batch batch_of(const Rollout& rollout);

}  // namespace tenon
