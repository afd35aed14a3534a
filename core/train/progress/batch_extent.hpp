// SPDX-License-Identifier: Apache-2.0
// The extent of a collected batch in each lane: a number of steps, or whole episodes. With whole episodes every lane
// plays the same number of them, so that short episodes are not preferred. Finished lanes keep stepping until the
// others are done; their extra frames are ignored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/state.h"

namespace tenon {

class BatchExtent {
public:
    // `steps` of every lane; with `episodes` above 0, that many episodes of each lane, within at most `steps` steps.
    BatchExtent(std::uint32_t lanes, std::uint32_t steps, std::int64_t episodes);

    [[nodiscard]] bool by_episodes() const { return episodes_ > 0; }
    [[nodiscard]] bool complete() const { return open_ == 0; }
    // Transitions collected of each lane, including ignored ones.
    [[nodiscard]] std::uint32_t steps() const { return taken_; }
    // [lanes] The number of transitions that are learnt from, beginning at slot 0.
    [[nodiscard]] std::span<const std::uint32_t> lengths() const { return lengths_; }

    // A new batch begins at slot 0; with whole episodes, every lane begins an episode in this slot.
    void begin();
    // Counts the transition before the storage's head.
    void record(const Storage& storage);

    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    std::uint32_t most_;
    std::int64_t episodes_;
    std::uint32_t taken_ = 0;
    std::uint32_t open_ = 0;          // lanes that are not finished
    std::vector<std::int64_t> left_;  // remaining episodes of each lane
    std::vector<std::uint32_t> lengths_;
};

}  // namespace tenon
