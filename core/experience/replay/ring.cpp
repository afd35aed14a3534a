// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/ring.hpp"

#include <algorithm>
#include <numeric>

#include "base/data/in_blocks.hpp"

namespace tenon {

Ring::Ring(std::uint32_t slots, std::uint32_t lanes)
    : slots_(slots),
      lanes_(lanes),
      first_(lanes, 0),
      count_(lanes, 0),
      parked_(lanes, 0),
      view_{.struct_size = sizeof(tn_buffer_view),
            .slots = slots,
            .lanes = lanes,
            .reserved = 0,
            .first = first_.data(),
            .count = count_.data(),
            .total = 0,
            .appended = 0,
            .terminated = nullptr,
            .truncated = nullptr} {}

std::uint32_t Ring::live_slots() const {
    return 1 + *std::max_element(count_.begin(), count_.end());
}

void Ring::advance() {
    const std::uint32_t next = slot_after(head_);
    if (view_.total == std::uint64_t{lanes_} * (slots_ - 1)) {
        in_blocks(lanes_, [first = first_.data(), after = slot_after(next)](std::size_t lane) {
            first[lane] = after;  // `next` held the oldest transition of every lane
        });
    } else {
        advance_lanes(next);
    }
    ++view_.appended;
    head_ = next;
    show_latest();
}

void Ring::advance_lanes(std::uint32_t next) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (parked_[lane] != 0) {
            continue;
        }
        if (count_[lane] == slots_ - 1) {
            first_[lane] = slot_after(next);
        } else {
            if (count_[lane] == 0) {
                first_[lane] = head_;
            }
            ++count_[lane];
            ++view_.total;
        }
    }
}

void Ring::advance_lane(std::uint32_t lane) {
    if (!uneven_) {
        uneven_ = true;
        for (std::uint32_t each = 0; each < lanes_; ++each) {
            first_[each] = slot_back(count_[each]);
        }
    }
    if (count_[lane] == slots_ - 1) {
        first_[lane] = slot_after(first_[lane]);
    } else {
        ++count_[lane];
        ++view_.total;
    }
    ++view_.appended;
    show_latest();
}

void Ring::park(std::uint32_t lane) {
    parked_[lane] = 1;
    view_.total -= count_[lane];
    count_[lane] = 0;
    show_latest();
}

void Ring::rewind() {
    head_ = 0;
    uneven_ = false;
    std::ranges::fill(first_, 0);
    std::ranges::fill(count_, 0);
    view_.total = 0;
    show_latest();
}

bool Ring::stand_at(const Position& position) {
    std::uint32_t most = 0;
    bool sane = position.head < slots_ && position.count.size() == lanes_ && position.parked.size() == lanes_;
    for (std::uint32_t lane = 0; lane < lanes_ && sane; ++lane) {
        sane = position.count[lane] < slots_ && position.parked[lane] <= 1;
        most = std::max(most, position.count[lane]);
    }
    if (!sane || position.appended < most) {
        return false;
    }
    head_ = position.head;
    uneven_ = false;
    std::ranges::copy(position.count, count_.begin());  // samplers know the addresses
    std::ranges::copy(position.parked, parked_.begin());
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        first_[lane] = slot_back(count_[lane]);
    }
    view_.appended = position.appended;
    view_.total = std::accumulate(count_.begin(), count_.end(), std::uint64_t{0});
    show_latest();
    return true;
}

void Ring::show_before(std::uint32_t done, std::uint32_t coming) {
    show(done, coming + held_back_);
    fixed_ = true;
}

void Ring::show_all() {
    before_ = false;
    fixed_ = false;
    show_latest();
}

void Ring::hold_back(std::uint32_t steps) {
    held_back_ = steps;
    show_latest();
}

void Ring::show_latest() {
    if (held_back_ > 0 && !fixed_) {
        show(0, held_back_);
    }
}

void Ring::show(std::uint32_t done, std::uint32_t coming) {
    shown_first_.resize(lanes_);
    shown_count_.resize(lanes_);
    shown_ = view_;
    shown_.first = shown_first_.data();
    shown_.count = shown_count_.data();
    shown_.appended -= done;
    shown_.total = 0;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const std::uint32_t count = count_[lane] - std::min(done, count_[lane]);
        const std::uint32_t later = count + done + coming;
        const std::uint32_t lost = std::min(later - std::min(later, slots_ - 1), count);
        shown_first_[lane] = (first_[lane] + lost) % slots_;
        shown_count_[lane] = count - lost;
        shown_.total += shown_count_[lane];
    }
    before_ = true;
}

void Ring::show_flags(const std::uint8_t* terminated, const std::uint8_t* truncated) {
    view_.terminated = terminated;
    view_.truncated = truncated;
    show_latest();
}

void Ring::show_arranged(std::uint32_t rows, std::uint64_t changes) {
    count_.front() = rows;
    view_.total = rows;
    view_.appended = changes;
}

}  // namespace tenon
