// SPDX-License-Identifier: Apache-2.0
#include "train/collect/score.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tenon {

Score score_of(const std::vector<double>& returns, std::int64_t steps) {
    Score out;
    out.episodes = static_cast<std::int64_t>(returns.size());
    const double n = std::max(static_cast<double>(returns.size()), 1.0);
    for (const double value : returns) {
        out.return_mean += value;
    }
    out.return_mean /= n;  // last: of a hundred ones it is one
    for (const double value : returns) {
        out.return_std += (value - out.return_mean) * (value - out.return_mean);
    }
    out.return_std = std::sqrt(out.return_std / n);
    out.length_mean = static_cast<double>(steps) / n;
    return out;
}

void ScoreSheet::begin(std::vector<std::int64_t> episodes) {
    left_ = std::move(episodes);
    open_ = static_cast<std::size_t>(std::ranges::count_if(left_, [](std::int64_t left) { return left > 0; }));
    ended_.clear();
}

void ScoreSheet::add(std::span<const EndedEpisode> ended) {
    for (const EndedEpisode& each : ended) {
        if (left_[each.lane] > 0) {
            ended_.push_back(each);
            open_ -= --left_[each.lane] == 0 ? 1 : 0;
        }
    }
}

Score ScoreSheet::score(std::uint32_t first, std::uint32_t count) const {
    std::vector<double> returns;
    std::int64_t steps = 0;
    std::int64_t cut_off = 0;
    for (const EndedEpisode& ended : ended_) {
        if (ended.lane >= first && ended.lane - first < count) {
            returns.push_back(ended.episode.total);
            steps += ended.episode.length;
            cut_off += ended.cut_off ? 1 : 0;
        }
    }
    Score out = score_of(returns, steps);
    out.cut_off = cut_off;
    return out;
}

}  // namespace tenon
