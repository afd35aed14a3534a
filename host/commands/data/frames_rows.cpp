// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include "experience/dataset/episodes.hpp"

namespace tenon {
namespace {

FrameValue value_of(const StorageColumn& column, std::uint32_t slot, std::uint32_t lane) {
    FrameValue out{.key = column.key,
                   .is_float = is_float(column.dtype),
                   .is_flag = column.dtype == DType::kBool,
                   .is_scalar = column.row.rank == 0,
                   .numbers = {}};
    const void* const row = row_at(column.view, slot, lane);
    for (std::size_t i = 0; i < static_cast<std::size_t>(column.row.elements()); ++i) {
        out.numbers.push_back(number_at(column, row, i));
    }
    return out;
}

}  // namespace

std::vector<FrameRow> first_rows(const NamedFrames& named, std::uint64_t count) {
    const Storage& storage = named.frames.storage;
    std::vector<FrameRow> out;
    std::uint64_t number = 0;
    for (const StoredEpisode& episode : episodes_of(storage)) {
        std::uint64_t step = 0;
        each_slot(storage, episode, [&](std::uint32_t slot) {
            if (out.size() < count) {
                FrameRow& row = out.emplace_back(FrameRow{.episode = number, .step = step++, .values = {}});
                for (const StorageColumn& column : storage.columns()) {
                    row.values.push_back(value_of(column, slot, episode.lane));
                }
            }
        });
        ++number;
        if (out.size() >= count) {
            break;
        }
    }
    return out;
}

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
