// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include <algorithm>
#include <cmath>

#include "experience/dataset/episodes.hpp"

namespace tenon {

void NumberStats::add(double value) {
    if (std::isnan(value)) {
        ++nans;
        return;
    }
    ++count;
    min = std::min(min, value);
    max = std::max(max, value);
    const double before = value - mean;
    mean += before / static_cast<double>(count);
    squares += before * (value - mean);
}

double NumberStats::std() const {
    return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

double number_at(const StorageColumn& column, const void* row, std::size_t element) {
    return with_element(
        column.dtype, [&](auto zero) { return static_cast<double>(static_cast<const decltype(zero)*>(row)[element]); });
}

EpisodeSummary summarise_episodes(const Storage& storage) {
    EpisodeSummary out;
    const StorageColumn* const reward = storage.find("reward");
    const bool sums = reward != nullptr && reward->row.elements() == 1;
    for (const StoredEpisode& episode : episodes_of(storage)) {
        out.terminated += episode.terminated ? 1 : 0;
        out.truncated += episode.truncated && !episode.terminated ? 1 : 0;
        if (!episode.is_whole()) {
            ++out.pieces;
            continue;
        }
        ++out.whole;
        out.lengths.push_back(episode.length);
        out.of_lengths.add(episode.length);
        if (sums) {
            double total = 0;
            each_slot(storage, episode, [&](std::uint32_t slot) {
                total += number_at(*reward, row_at(reward->view, slot, episode.lane), 0);
            });
            out.returns.push_back(total);
            out.of_returns.add(total);
        }
    }
    return out;
}

}  // namespace tenon
