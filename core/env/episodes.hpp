// SPDX-License-Identifier: Apache-2.0
// Returns and lengths of episodes: running sums per lane, and the latest finished episodes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "error/result.hpp"
#include "replay/storage.hpp"
#include "tenon/abi/state.h"

namespace tenon {

struct Episode {
    double total = 0;  // the undiscounted sum of its rewards
    std::int64_t length = 0;
};

class Episodes {
public:
    static constexpr std::size_t kWindow = 100;

    explicit Episodes(std::uint32_t lanes) : running_(lanes) {}

    // Adds the step that has just advanced the storage's head, with its rewards. Allocates nothing.
    void record(const Storage& storage, std::span<const double> rewards);
    // Discards the running episodes of lanes whose byte in mask is 1 (null: all), because they were reset from outside.
    void drop(const std::uint8_t* mask);

    [[nodiscard]] std::uint64_t finished() const { return finished_; }  // since the beginning
    // Over the last kWindow finished episodes; 0 if there are none.
    [[nodiscard]] double mean_return() const;
    [[nodiscard]] double mean_length() const;
    // The finished episode `back` places before the newest one; back < min(finished, kWindow).
    [[nodiscard]] const Episode& newest(std::size_t back = 0) const;

    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    std::vector<Episode> running_;  // [lanes]
    std::array<Episode, kWindow> window_{};
    std::uint64_t finished_ = 0;
};

}  // namespace tenon
