// SPDX-License-Identifier: Apache-2.0
// Returns and lengths of episodes: running sums per lane, and the latest finished episodes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/state.h"

namespace tenon {

struct Episode {
    double total = 0;  // the undiscounted sum of its rewards
    std::int64_t length = 0;
};

struct EndedEpisode {
    std::uint32_t lane = 0;
    Episode episode;
    bool cut_off = false;  // the host has ended it; the env would have gone on
};

class Episodes {
public:
    static constexpr std::size_t kWindow = 100;

    explicit Episodes(std::uint32_t lanes) : running_(lanes) { ended_.reserve(lanes); }

    // Adds the step that begins at a slot, with its rewards; every step once, in their order. Allocates nothing.
    void record(const Storage& storage, std::uint32_t slot, std::span<const double> rewards);
    // The same for single lanes. Call begin_step once before the lanes of a step.
    void begin_step() { ended_.clear(); }
    void record(const Storage& storage, std::uint32_t slot, std::span<const std::uint32_t> lanes,
                std::span<const double> rewards);
    // Discards the running episodes of lanes whose byte in mask is 1 (null: all), because they were reset from outside.
    void drop(const std::uint8_t* mask);

    // Those that ended with the step that was recorded last.
    [[nodiscard]] std::span<const EndedEpisode> ended() const { return ended_; }
    // The running episode of a lane.
    [[nodiscard]] const Episode& running(std::uint32_t lane) const { return running_[lane]; }
    [[nodiscard]] std::uint64_t finished() const { return finished_; }  // since the beginning
    // Over the last kWindow finished episodes; 0 if there are none.
    [[nodiscard]] double mean_return() const;
    [[nodiscard]] double mean_length() const;
    // The finished episode `back` places before the newest one; back < min(finished, kWindow).
    [[nodiscard]] const Episode& newest(std::size_t back = 0) const;

    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    void record_lane(const Storage& storage, std::uint32_t slot, std::uint32_t lane, double reward);

    std::vector<Episode> running_;  // [lanes]
    std::vector<EndedEpisode> ended_;
    std::array<Episode, kWindow> window_{};
    std::uint64_t finished_ = 0;
};

}  // namespace tenon
