// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/rollout.hpp"

#include <array>
#include <cassert>
#include <cstring>

#include "base/data/view_shape.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

std::byte* slot_of(const View& view, std::uint32_t slot, std::size_t slot_bytes) {
    return static_cast<std::byte*>(view.data) + slot * slot_bytes;
}

}  // namespace

Result<Rollout> Rollout::make(const Storage& storage, std::span<const std::string> keys, std::string_view reader,
                              std::uint32_t max_steps) {
    if (max_steps < 1 || max_steps >= storage.slots()) {
        return input_problem("a rollout of " + counted(max_steps, "step") + " does not fit into a storage of " +
                             counted(storage.slots(), "slot"));
    }
    Rollout out;
    out.slots_ = storage.slots();
    out.lanes_ = storage.lanes();
    out.max_steps_ = max_steps;
    out.terminated_ = storage.flags().terminated;
    out.truncated_ = storage.flags().truncated;
    for (const std::string& key : keys) {
        ReaderColumn column = TENON_TRY(resolve(storage, key, reader));
        const bool earlier = column.reading == Reading::kEarlier;
        if (earlier && column.column->sampled) {
            return input_problem(std::string(reader) + " reads '" + key +
                                 "', the rows of a history, which in this run only sampled sequences have");
        }
        const Shape shape = join(earlier ? Shape{out.lanes_} : Shape{max_steps, out.lanes_}, column.port.row);
        if (earlier) {
            out.stored_.push_back({});
            out.finals_.push_back({});
            out.views_.push_back(dense(column.column->before, column.port.dtype, shape));
            out.memory_.emplace_back();
            column.column = nullptr;
            out.columns_.push_back(std::move(column));
            continue;
        }
        Slab slab = TENON_TRY(Slab::make(static_cast<std::size_t>(shape.elements()) * size_of(column.port.dtype)));
        out.stored_.push_back(column.column != nullptr ? column.column->view : View{});
        out.finals_.push_back(column.column != nullptr ? column.column->final : View{});
        out.views_.push_back(dense(slab.data(), column.port.dtype, shape));
        out.memory_.push_back(std::move(slab));
        column.column = nullptr;  // it would dangle when the storage moves
        out.columns_.push_back(std::move(column));
    }
    return out;
}

void Rollout::assemble(std::uint32_t first, std::uint32_t steps) {
    assert(steps <= max_steps_ && first < slots_);
    const bool wraps = first + std::uint64_t{steps} > slots_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Reading reading = columns_[i].reading;
        if (reading == Reading::kEarlier) {
            assert(first == 0);
            continue;
        }
        if (reading == Reading::kAtSlot && !wraps) {
            views_[i] = stored_[i].slice(0, first, steps);
            continue;
        }
        const Port& port = columns_[i].port;
        views_[i] = dense(memory_[i].data(), port.dtype, join(Shape{steps, lanes_}, port.row));
        const std::size_t row = row_bytes(port);
        const std::size_t slot_bytes = row * lanes_;
        for (std::uint32_t t = 0; t < steps; ++t) {
            const auto slot = static_cast<std::uint32_t>((std::uint64_t{first} + t) % slots_);
            std::byte* const out = slot_of(views_[i], t, slot_bytes);
            const std::uint8_t* const terminated = terminated_ + std::size_t{slot} * lanes_;
            const std::uint8_t* const truncated = truncated_ + std::size_t{slot} * lanes_;
            if (reading != Reading::kDone) {
                const std::uint32_t from = reading == Reading::kAtSlot ? slot : (slot + 1 == slots_ ? 0 : slot + 1);
                std::memcpy(out, slot_of(stored_[i], from, slot_bytes), slot_bytes);
            }
            for (std::uint32_t lane = 0; lane < lanes_ && reading != Reading::kAtSlot; ++lane) {
                const auto done = static_cast<std::uint8_t>(terminated[lane] | truncated[lane]);
                if (reading == Reading::kDone) {
                    out[lane] = static_cast<std::byte>(done);
                } else if (done != 0) {
                    std::memcpy(out + lane * row, slot_of(finals_[i], slot, slot_bytes) + lane * row, row);
                }
            }
        }
    }
}

Batch batch_of(const Rollout& rollout) {
    constexpr std::array<std::uint32_t, 2> kByLane = {1, 0};
    const auto views = rollout.views();
    Batch out(views.empty() ? Shape{0, 0} : head(permuted(views[0], kByLane).shape, 2));
    for (std::size_t i = 0; i < views.size(); ++i) {
        [[maybe_unused]] const Status set = out.set(rollout.columns()[i].port.key, permuted(views[i], kByLane));
        assert(set);  // keys of a storage are valid
    }
    return out;
}

}  // namespace tenon
