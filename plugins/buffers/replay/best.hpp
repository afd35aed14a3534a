// SPDX-License-Identifier: Apache-2.0
// Uniform replay of the best episodes: those with the highest sums of a column, until they have a share of all frames.
// With a share of 0.1 behavioural cloning is "10 % BC", with which Decision Transformer is compared. Only whole
// episodes count.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "best_episodes.hpp"
#include "tenon/sampler.hpp"

class Best {
public:
    [[nodiscard]] static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }
    [[nodiscard]] std::vector<tenon::ReadColumn> reads() const { return {{.key = column_}}; }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        episodes_.follow(buffer, column_, share_);
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            rows.set(row, episodes_.draw(rng, buffer));
        }
    }

    // The ranking depends on the options and the buffer alone.
    static void state(tenon::Archive& /*archive*/) {}

private:
    double share_ = 0.1;
    std::string column_;
    BestEpisodes episodes_;

public:
    static constexpr auto options = std::tuple{
        tenon::option<&Best::share_>("share", 0.1, "(0,1]",
                                     "share of the frames of all whole episodes that the best ones have at least"),
        tenon::option<&Best::column_>("column", "reward", "the column whose sum ranks episodes, as it is stored")};
};
