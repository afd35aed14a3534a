// SPDX-License-Identifier: Apache-2.0
#include "engines/recording_episodes/running_episodes.hpp"

#include <algorithm>

namespace tenon {
namespace {

const char* bytes_at(const View& view, std::uint32_t slot, std::uint32_t lane) {
    return static_cast<const char*>(row_at(view, slot, lane));
}

}  // namespace

RunningEpisodes::RunningEpisodes(const Storage& storage, std::span<const StorageColumn> columns,
                                 std::span<const std::uint64_t> seeds)
    : storage_(storage),
      is_init_(static_cast<const std::uint8_t*>(storage.find("is_init")->view.data)),
      lanes_(storage.lanes()) {
    for (const StorageColumn& column : columns) {
        const StorageColumn* const of = storage.find(column.key);
        columns_.push_back({.of = of, .bytes = row_bytes(*of), .ends = of->final.data != nullptr});
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        lanes_[i].rows.resize(columns_.size());
        lanes_[i].now.resize(columns_.size());
        lanes_[i].seed = i < seeds.size() ? std::optional(seeds[i]) : std::nullopt;
    }
}

void RunningEpisodes::begin(Lane& lane) {
    lane.running = true;
    lane.length = 0;
    for (std::string& rows : lane.rows) {
        rows.clear();
    }
}

void RunningEpisodes::add(Lane& lane, std::uint32_t slot, std::uint32_t number) {
    ++lane.length;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        lane.rows[i].append(bytes_at(columns_[i].of->view, slot, number), columns_[i].bytes);
    }
}

// lane.now has the observations after the last row.
Status RunningEpisodes::end(Lane& lane, bool terminated, EpisodeFile& file) {
    const bool seeded = lane.seed.has_value();
    const EpisodeHead head{.length = lane.length,
                           .seed = lane.seed.value_or(0),
                           .terminated = static_cast<std::uint8_t>(terminated),
                           .seeded = static_cast<std::uint8_t>(seeded)};
    lane.seed.reset();
    lane.running = false;
    episode_.assign(reinterpret_cast<const char*>(&head), sizeof head);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        episode_ += lane.rows[i];
        if (columns_[i].ends) {
            episode_ += lane.now[i];
        }
    }
    return file.append(head, episode_);
}

Status RunningEpisodes::take_lane(std::uint32_t number, std::uint32_t steps, EpisodeFile& file) {
    Lane& lane = lanes_[number];
    const std::uint32_t held = std::min(steps, storage_.view().count[number]);
    std::uint32_t slot = storage_.slot_back(held);
    const auto at = [&] { return std::size_t{slot} * storage_.lanes() + number; };
    if (held < steps && (held == 0 || is_init_[at()] == 0)) {
        lane.running = false;  // steps are missing between its rows and these
    }
    for (std::uint32_t step = 0; step < held; ++step, slot = storage_.slot_after(slot)) {
        if (is_init_[at()] != 0) {
            TENON_TRY(lane.running && lane.length > 0 ? end(lane, false, file) : Status());
            begin(lane);
        }
        if (!lane.running) {
            continue;
        }
        add(lane, slot, number);
        const bool terminated = storage_.flags().terminated[at()] != 0;
        if (!terminated && storage_.flags().truncated[at()] == 0) {
            continue;
        }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].ends) {
                lane.now[i].assign(bytes_at(columns_[i].of->final, slot, number), columns_[i].bytes);
            }
        }
        TENON_TRY(end(lane, terminated, file));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].ends) {
            lane.now[i].assign(bytes_at(columns_[i].of->view, storage_.head(), number), columns_[i].bytes);
        }
    }
    return {};
}

Status RunningEpisodes::take(std::int64_t steps, EpisodeFile& file) {
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
        TENON_TRY(take_lane(lane, static_cast<std::uint32_t>(steps), file));
    }
    return {};
}

void RunningEpisodes::visit(SavedFields& saved) {
    for (Lane& lane : lanes_) {
        bool seeded = lane.seed.has_value();
        std::uint64_t seed = lane.seed.value_or(0);
        saved.fields(lane.running, lane.length, seeded, seed);
        lane.seed = seeded ? std::optional(seed) : std::nullopt;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            std::string rows = lane.running ? lane.rows[i] : "";
            saved.fields(rows, lane.now[i]);
            if (saved.reads()) {
                const std::size_t held = lane.running ? lane.length : 0;
                saved.check(rows.size() == held * columns_[i].bytes, "has other columns than the run records");
                lane.rows[i] = std::move(rows);
            }
        }
    }
}

}  // namespace tenon
