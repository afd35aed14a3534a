// SPDX-License-Identifier: Apache-2.0
// The whole episodes of a buffer: those that have ended, and of which every step is held. Follows a ring buffer as it
// is written, at a cost that depends on what is new.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sequence.hpp"

class Episodes {
public:
    // Adds what has been collected since the last call, and takes away what has been overwritten.
    void follow(const tenon::Transitions& buffer) {
        if (buffer.lanes() != lanes_.size() || buffer.slots() != slots_) {
            slots_ = buffer.slots();
            seen_ = 0;
            lanes_.assign(buffer.lanes(), {});
            ends_.assign(std::size_t{slots_} * buffer.lanes(), 0);
            sums_.assign(buffer.lanes(), 0);
        }
        const std::uint64_t fresh = buffer.appended() - seen_;
        if (fresh == 0) {
            return;
        }
        seen_ = buffer.appended();
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
            follow(buffer, i, fresh);
            sum += lanes_[i].count;
            sums_[i] = sum;
        }
    }

    // Numbered lane by lane, the oldest first.
    [[nodiscard]] std::uint64_t size() const { return sums_.empty() ? 0 : sums_.back(); }
    [[nodiscard]] Window at(const tenon::Transitions& buffer, std::uint64_t number) const {
        const auto i = static_cast<std::uint32_t>(std::upper_bound(sums_.begin(), sums_.end(), number) - sums_.begin());
        const Lane& lane = lanes_[i];
        const auto which = static_cast<std::uint32_t>(number - (sums_[i] - lane.count));
        const std::uint32_t first = which == 0 ? lane.first : end(i, which - 1) + 1;
        return {buffer.at(i, first - oldest(buffer, i)), end(i, which) - first + 1};
    }

    void archive(tenon::Archive& archive) {
        std::vector<std::uint32_t> ends;  // without the empty places of the ring
        std::vector<Lane> lanes = lanes_;
        for (std::uint32_t i = 0; i < lanes.size(); ++i) {
            for (std::uint32_t which = 0; which < lanes[i].count; ++which) {
                ends.push_back(end(i, which));
            }
            lanes[i].head = 0;
        }
        archive(slots_, seen_, lanes, sums_, ends);
        if (archive.loading()) {
            load(std::move(lanes), ends);
        }
    }

private:
    // Steps of a lane are numbered from the run's beginning, modulo 2^32.
    struct Lane {
        std::uint32_t first = 0;  // step of the oldest episode in the list, or of the one that follows it
        std::uint32_t head = 0;   // place of the oldest episode in the ring of ends
        std::uint32_t count = 0;
    };

    void load(std::vector<Lane> lanes, const std::vector<std::uint32_t>& ends) {
        std::uint64_t count = 0;
        bool fits = sums_.size() == lanes.size();
        for (std::size_t i = 0; fits && i < lanes.size(); ++i) {
            count += lanes[i].count;
            fits = lanes[i].head == 0 && lanes[i].count <= slots_ && sums_[i] == count;
        }
        if (!fits || count != ends.size()) {
            throw tenon::DataLoss("saved state is damaged: its episodes do not fit its lanes");
        }
        lanes_ = std::move(lanes);
        ends_.assign(std::size_t{slots_} * lanes_.size(), 0);
        auto from = ends.begin();
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            std::copy_n(from, lanes_[i].count, ends_.begin() + static_cast<std::ptrdiff_t>(i * slots_));
            from += lanes_[i].count;
        }
    }

    [[nodiscard]] static std::uint32_t oldest(const tenon::Transitions& buffer, std::uint32_t lane) {
        return static_cast<std::uint32_t>(buffer.appended()) - buffer.size_of(lane);
    }
    [[nodiscard]] std::size_t place(std::uint32_t lane, std::uint32_t which) const {
        const std::uint64_t at = std::uint64_t{lanes_[lane].head} + which;
        return std::size_t{lane} * slots_ + (at < slots_ ? at : at - slots_);
    }
    [[nodiscard]] std::uint32_t end(std::uint32_t lane, std::uint32_t which) const { return ends_[place(lane, which)]; }

    void follow(const tenon::Transitions& buffer, std::uint32_t i, std::uint64_t fresh) {
        Lane& lane = lanes_[i];
        const std::uint32_t held = buffer.size_of(i);
        const std::uint32_t first = oldest(buffer, i);
        if (fresh >= held) {  // nothing older is held; if steps are missing, an episode may have lost its beginning
            lane.count = 0;
            lane.first = buffer.appended() == held ? first : first - 1;
        }
        for (auto back = static_cast<std::uint32_t>(std::min<std::uint64_t>(fresh, held)); back > 0; --back) {
            if (buffer.ends_episode(buffer.at(i, held - back))) {
                ends_[place(i, lane.count++)] = static_cast<std::uint32_t>(buffer.appended()) - back;
            }
        }
        while (lane.count > 0 && static_cast<std::int32_t>(lane.first - first) < 0) {
            lane.first = end(i, 0) + 1;
            lane.head = lane.head + 1 < slots_ ? lane.head + 1 : 0;
            --lane.count;
        }
    }

    std::uint32_t slots_ = 0;
    std::uint64_t seen_ = 0;  // steps of the buffer that the list contains
    std::vector<Lane> lanes_;
    std::vector<std::uint32_t> ends_;  // [lane][slots]: the last steps of its episodes, a ring
    std::vector<std::uint64_t> sums_;  // episodes of the lanes up to this one
};
