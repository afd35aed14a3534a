// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include "experience/dataset/episodes.hpp"

namespace tenon {

std::vector<ColumnStats> stats_of(const NamedFrames& named) {
    const Storage& storage = named.frames.storage;
    const std::vector<StoredEpisode> episodes = episodes_of(storage);
    std::vector<ColumnStats> out;
    for (const StorageColumn& column : storage.columns()) {
        ColumnStats& stats = out.emplace_back(ColumnStats{.key = column.key, .all = {}});
        const auto elements = static_cast<std::size_t>(column.row.elements());
        for (const StoredEpisode& episode : episodes) {
            each_slot(storage, episode, [&](std::uint32_t slot) {
                const void* const row = row_at(column.view, slot, episode.lane);
                for (std::size_t i = 0; i < elements; ++i) {
                    stats.all.add(number_at(column, row, i));
                }
            });
        }
    }
    return out;
}

}  // namespace tenon
