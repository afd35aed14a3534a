// SPDX-License-Identifier: Apache-2.0
// Returns and lengths of episodes: sums per lane, and the latest finished ones.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/view.hpp"
#include "replay/storage.hpp"

namespace tenon {

struct Episode {
    double total = 0;  // the sum of its rewards, undiscounted
    std::int64_t length = 0;
};

class Episodes {
public:
    static constexpr std::size_t kWindow = 100;

    // Reads a float32 or float64 column of one element a row: "reward", or another where there are several. Borrows the
    // storage's memory: the storage may be moved, not destroyed.
    static Result<Episodes> make(const Storage& storage, std::string_view reward = "reward");

    // Takes in the step that has just moved the storage's head on. Allocates nothing.
    void record(const Storage& storage);
    // Lanes whose byte in mask is 1 (null: all) were reset from outside: their running episodes do not count.
    void drop(const std::uint8_t* mask);

    [[nodiscard]] std::uint64_t finished() const { return finished_; }  // since the beginning
    // Of the last kWindow finished ones; 0 where there is none.
    [[nodiscard]] double mean_return() const;
    [[nodiscard]] double mean_length() const;
    // The finished episode `back` places before the newest; back < min(finished, kWindow).
    [[nodiscard]] const Episode& newest(std::size_t back = 0) const;

    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    View reward_;
    std::vector<Episode> running_;  // [lanes]
    std::array<Episode, kWindow> window_{};
    std::uint64_t finished_ = 0;
};

}  // namespace tenon
