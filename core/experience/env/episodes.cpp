// SPDX-License-Identifier: Apache-2.0
#include "experience/env/episodes.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "base/data/flags.hpp"
#include "base/data/state_stream.hpp"
#include "base/error/listed.hpp"

namespace tenon {

// Eight lanes at a time, because nothing ends in most of them.
void Episodes::record(const Storage& storage, std::uint32_t slot, std::span<const double> rewards) {
    constexpr std::uint32_t kEight = 8;
    begin_step();
    const std::uint32_t lanes = storage.lanes();
    const std::size_t at = std::size_t{slot} * lanes;
    const std::uint8_t* const parked = storage.parked().data();
    const std::uint8_t* const terminated = storage.flags().terminated + at;
    const std::uint8_t* const truncated = storage.flags().truncated + at;
    const auto record_some = [&](std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t lane = first; lane < end; ++lane) {
            if (parked[lane] == 0) {
                record_lane(storage, slot, lane, rewards[lane]);
            }
        }
    };
    std::uint32_t first = 0;
    for (; first + kEight <= lanes; first += kEight) {
        if (any_set({parked + first, kEight}) || any_set({terminated + first, kEight}) ||
            any_set({truncated + first, kEight})) {
            record_some(first, first + kEight);
            continue;
        }
        for (std::uint32_t lane = first; lane < first + kEight; ++lane) {
            running_[lane].total += rewards[lane];
            ++running_[lane].length;
        }
    }
    record_some(first, lanes);
}

void Episodes::record(const Storage& storage, std::uint32_t slot, std::span<const std::uint32_t> lanes,
                      std::span<const double> rewards) {
    for (const std::uint32_t lane : lanes) {
        record_lane(storage, slot, lane, rewards[lane]);
    }
}

inline void Episodes::record_lane(const Storage& storage, std::uint32_t slot, std::uint32_t lane, double reward) {
    Episode& episode = running_[lane];
    episode.total += reward;
    ++episode.length;
    if (storage.flags().ended(slot, lane)) {
        window_[finished_ % kWindow] = episode;
        ended_.push_back({lane, episode});
        ++finished_;
        episode = {};
    }
}

void Episodes::drop(const std::uint8_t* mask) {
    for (std::size_t lane = 0; lane < running_.size(); ++lane) {
        if (mask == nullptr || mask[lane] != 0) {
            running_[lane] = {};
        }
    }
}

// Both sums go from the oldest to the newest, so that a restored window gives the same bits.
double Episodes::mean_return() const {
    const std::size_t n = std::min<std::uint64_t>(finished_, kWindow);
    double sum = 0;
    for (std::size_t i = n; i-- > 0;) {
        sum += newest(i).total;
    }
    return n == 0 ? 0 : sum / static_cast<double>(n);
}

double Episodes::mean_length() const {
    const std::size_t n = std::min<std::uint64_t>(finished_, kWindow);
    double sum = 0;
    for (std::size_t i = n; i-- > 0;) {
        sum += static_cast<double>(newest(i).length);
    }
    return n == 0 ? 0 : sum / static_cast<double>(n);
}

const Episode& Episodes::newest(std::size_t back) const {
    assert(back < std::min<std::uint64_t>(finished_, kWindow));
    return window_[(finished_ - 1 - back) % kWindow];
}

Status Episodes::save(const tn_writer& writer) const {
    StateSink sink(writer);
    sink.number<std::uint64_t>(running_.size());
    sink.number(finished_);
    const auto put = [&](const Episode& episode) {
        sink.number(episode.total);
        sink.number(episode.length);
    };
    std::for_each(running_.begin(), running_.end(), put);
    std::for_each(window_.begin(), window_.end(), put);
    return sink.status("the episodes");
}

Status Episodes::load(const tn_reader& reader) {
    StateSource source(reader);
    const auto lanes = source.number<std::uint64_t>();
    if (!source.failed() && lanes != running_.size()) {
        return input_problem("the saved episodes are of " + counted(lanes, "lane") + ", but this run has " +
                             std::to_string(running_.size()));
    }
    finished_ = source.number<std::uint64_t>();
    const auto get = [&](Episode& episode) {
        episode.total = source.number<double>();
        episode.length = source.number<std::int64_t>();
    };
    std::for_each(running_.begin(), running_.end(), get);
    std::for_each(window_.begin(), window_.end(), get);
    if (source.failed()) {
        finished_ = 0;
    }
    return source.status("the episodes");
}

}  // namespace tenon
