// SPDX-License-Identifier: Apache-2.0
// States of the workers: what their transforms learn, which all of them share, and what a checkpoint has of them.
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "base/data/state_bytes.hpp"
#include "base/data/state_stream.hpp"
#include "engines/source_processes/workers_source.hpp"

namespace tenon {

// The number of steps until the transforms of all workers merge what they have seen. They merge eight times while the
// number of steps doubles, so that the statistics lack at most an eighth of the frames, and at least every 256 steps.
// If batches are prefetched, they merge between batches from the second one on.
std::int64_t WorkersSource::steps_to_join() const {
    if (!learns_) {
        return std::numeric_limits<std::int64_t>::max();
    }
    const auto made = static_cast<std::uint64_t>(ordered_.counter);
    const std::uint64_t apart = plan_.prefetches && made >= plan_.steps
                                    ? plan_.steps
                                    : std::clamp<std::uint64_t>(std::bit_floor(made) / 8, 1, 256);
    return static_cast<std::int64_t>(apart - made % apart);
}

// Merges what the transforms of all workers have seen. A worker that has ended takes no part: the trainer notices its
// end when it waits for its next step, and sends the statistics to its replacement.
Status WorkersSource::join() {
    std::vector<StateBytes> parts;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        StateBytes part;
        if (!await_answer(i) && !fetch(i, LaneOrder::kPart, part.data)) {
            parts.push_back(std::move(part));
        }
    }
    StateBytes all;
    const tn_writer writer = all.writer();
    StateSink sink(writer);
    sink.number<std::uint64_t>(parts.size());
    for (const StateBytes& part : parts) {
        sink.number<std::uint64_t>(part.data.size());
        sink.bytes(part.data.data(), part.data.size());
    }
    TENON_TRY(site_.lanes.join(parts));
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        feed(i, all.data, LaneOrder::kJoin);
    }
    for (std::size_t i = 0; i < workers_.size() && ordered_.steps > 0; ++i) {
        order_steps(i);
    }
    return {};
}

void WorkersSource::teach(std::size_t index) {
    if (!learns_ || std::exchange(workers_[index].is_taught, true)) {
        return;
    }
    StateBytes learnt;
    if (site_.lanes.save_common(learnt.writer())) {
        feed(index, learnt.data, LaneOrder::kTeach);
    }
}

// Nothing, or how the worker has ended.
std::optional<std::string> WorkersSource::fetch(std::size_t index, LaneOrder order, std::vector<std::byte>& to) {
    Worker& worker = workers_[index];
    WorkerDesk& desk = worker.desk();
    to.clear();
    give(worker, order);
    std::optional<std::string> ended = await_answer(index);
    for (bool more = true; more && !ended;) {
        desk.from = to.size();
        give(worker, LaneOrder::kFetch);
        ended = await_answer(index);
        const std::size_t size = std::min<std::size_t>(desk.box_size, kWorkerBox);
        to.insert(to.end(), worker.parts.box, worker.parts.box + size);
        more = size > 0 && to.size() < desk.total;
    }
    return ended;
}

// The same: gives the worker the bytes, and then this order.
std::optional<std::string> WorkersSource::feed(std::size_t index, std::span<const std::byte> bytes, LaneOrder order) {
    Worker& worker = workers_[index];
    std::optional<std::string> ended;
    for (std::size_t at = 0; at < bytes.size() && !ended; at += kWorkerBox) {
        const std::span<const std::byte> part = bytes.subspan(at, std::min(kWorkerBox, bytes.size() - at));
        std::ranges::copy(part, worker.parts.box);
        worker.desk().box_size = part.size();
        give(worker, LaneOrder::kFeed);
        ended = await_answer(index);
    }
    if (!ended) {
        give(worker, order);
        ended = await_answer(index);
    }
    return ended;
}

Status WorkersSource::save(ByteWriter& out) {
    out.begin("workers", 2);  // version 2 has the state of each lane
    std::vector<std::byte> state;
    const std::int64_t ordered = ordered_.steps;
    const LaneOrder order = halt() > 0 ? LaneOrder::kSaveKept : LaneOrder::kSave;
    rest_ += ordered - ordered_.steps;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const auto fetched = [&] {
            std::optional<std::string> how = await_answer(i);
            return how ? how : fetch(i, order, state);
        };
        while (const std::optional<std::string> how = fetched()) {
            TENON_TRY(go_on_without(i, *how));
        }
        StateBytes lanes{.data = std::exchange(state, {})};
        const tn_reader reader = lanes.reader();
        StateSource source(reader);
        std::vector<std::byte> lane;
        while (lanes.at < lanes.data.size() && source.blob(lane)) {
            out.numbers(std::span(reinterpret_cast<const std::uint8_t*>(lane.data()), lane.size()));
        }
        TENON_TRY(source.status(name(i)));
    }
    out.end();
    return {};
}

Status WorkersSource::load(ByteReader& in) {
    in.enter("workers", 2);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        StateBytes all;
        const tn_writer writer = all.writer();
        StateSink sink(writer);
        for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
            const std::vector<std::uint8_t> state = in.numbers<std::uint8_t>();
            sink.number<std::uint64_t>(state.size());
            sink.bytes(state.data(), state.size());
        }
        TENON_TRY(in.status());
        show_head(workers_[i]);
        workers_[i].is_taught = false;
        TENON_TRY(idle(i, feed(i, all.data, LaneOrder::kLoad)));
    }
    in.leave();
    return in.status();
}

}  // namespace tenon
