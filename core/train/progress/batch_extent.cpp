// SPDX-License-Identifier: Apache-2.0
#include "train/progress/batch_extent.hpp"

#include <algorithm>

#include "base/data/state_stream.hpp"

namespace tenon {

BatchExtent::BatchExtent(std::uint32_t lanes, std::uint32_t steps, std::int64_t episodes)
    : most_(steps), episodes_(episodes), left_(lanes), lengths_(lanes) {
    begin();
}

void BatchExtent::begin() {
    taken_ = 0;
    open_ = static_cast<std::uint32_t>(left_.size());
    std::fill(left_.begin(), left_.end(), episodes_);
    std::fill(lengths_.begin(), lengths_.end(), 0);
}

void BatchExtent::record(const Storage& storage) {
    ++taken_;
    if (!by_episodes()) {
        std::fill(lengths_.begin(), lengths_.end(), taken_);
        open_ = taken_ < most_ ? open_ : 0;
        return;
    }
    const std::uint32_t last = storage.slot_before(storage.head());
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const bool parked = storage.parked()[lane] != 0;
        if (left_[lane] == 0 || (!parked && !storage.flags().ended(last, lane))) {
            continue;
        }
        left_[lane] = parked ? 0 : left_[lane] - 1;
        lengths_[lane] = parked ? 0 : taken_;
        open_ -= left_[lane] == 0 ? 1 : 0;
    }
}

Status BatchExtent::save(const tn_writer& writer) const {
    StateSink sink(writer);
    sink.number(taken_);
    for (std::size_t lane = 0; lane < left_.size(); ++lane) {
        sink.number(left_[lane]);
        sink.number(lengths_[lane]);
    }
    return sink.status("the batch");
}

Status BatchExtent::load(const tn_reader& reader) {
    StateSource source(reader);
    begin();
    taken_ = source.number<std::uint32_t>();
    for (std::size_t lane = 0; lane < left_.size(); ++lane) {
        left_[lane] = source.number<std::int64_t>();
        lengths_[lane] = source.number<std::uint32_t>();
        open_ -= by_episodes() && left_[lane] == 0 ? 1 : 0;
    }
    open_ = by_episodes() || taken_ < most_ ? open_ : 0;
    return source.status("the batch");
}

}  // namespace tenon
