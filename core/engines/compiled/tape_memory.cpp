// SPDX-License-Identifier: Apache-2.0
// Assigns memory to the values of a tape: shared memory if they are not alive at the same time, their own memory, or
// memory outside of the tape.
#include <algorithm>
#include <numeric>
#include <utility>

#include "engines/compiled/arena.hpp"
#include "engines/compiled/element.hpp"
#include "engines/compiled/operations.hpp"
#include "engines/compiled/scan_loop.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {
namespace {

std::size_t in_lines(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Ints and doubles have 8 bytes; one additional line keeps blocks from mapping to the same cache sets.
constexpr std::size_t kSlotBytes = static_cast<std::size_t>(kBlock) * 8 + kAlignment;

// The most memory of a program whose values do not share it: what the second-level cache of most processors holds.
constexpr std::size_t kMostSpread = std::size_t{1} << 20U;

std::size_t most_scratch(const Tape& tape) {
    std::size_t out = 0;
    for (const Op& op : tape.listing().ops) {
        out = std::max(out, scratch_of(op, tape.real()));
    }
    return out;
}

bool has_own_memory(Segment segment) {
    return segment == Segment::kKept || segment == Segment::kConstant || segment == Segment::kGradient ||
           segment == Segment::kLive;
}

}  // namespace

// For each buffer: the buffer whose memory it reuses. An output of a loop may reuse the memory of an input if the loop
// is the input's last reader and does not read it after the write.
std::vector<std::uint32_t> Tape::shared_places(std::vector<Lifetime>& alive) const {
    std::vector<std::uint32_t> out(alive.size());
    std::iota(out.begin(), out.end(), 0U);
    std::vector<Lifetime> own = alive;
    const auto goes_through_all = [&](const View& view, Access access) {
        return access == Access::kDense && is_whole(listing_, view);
    };
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
        const auto* loop = std::get_if<Loop>(&instructions_[i].what);
        if (loop == nullptr) {
            continue;
        }
        std::vector<std::uint32_t> taken;
        for (const Store& store : loop->stores) {
            const std::uint32_t to = store.view.buffer;
            const auto written = std::ranges::find(loop->steps, store.slot, &Step::out);
            if (!goes_through_all(store.view, store.access) || own[to].first != i) {
                continue;
            }
            const auto from = std::ranges::find_if(loop->loads, [&](const Load& load) {
                const auto is_same = [&](const Load& other) { return other.view.buffer == load.view.buffer; };
                const bool read_later = std::any_of(written + 1, loop->steps.end(), [&](const Step& step) {
                    return std::ranges::find(step.in, load.slot) != step.in.end();
                });
                return goes_through_all(load.view, load.access) && load.bytes == store.bytes && !read_later &&
                       own[load.view.buffer].last == i && std::ranges::count_if(loop->loads, is_same) == 1 &&
                       std::ranges::find(taken, load.view.buffer) == taken.end();
            });
            if (from != loop->loads.end()) {
                taken.push_back(from->view.buffer);
                out[to] = out[from->view.buffer];
                alive[out[to]].last = own[to].last;
            }
        }
    }
    return out;
}

Status Tape::place(std::span<const std::uint32_t> pinned) {
    const std::size_t buffers = listing_.buffers.size();
    std::vector<Lifetime> alive(buffers);
    const std::size_t end = instructions_.size();
    for (Lifetime& each : alive) {
        each.first = end;
    }
    const auto touch = [&](std::uint32_t buffer, std::size_t at) {
        alive[buffer].first = std::min(alive[buffer].first, at);
        alive[buffer].last = std::max(alive[buffer].last, at);
    };
    is_ready_.assign(buffers, false);
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
        if (const auto* loop = std::get_if<Loop>(&instructions_[i].what)) {
            for (const Load& load : loop->loads) {
                touch(load.view.buffer, i);
                is_ready_[load.view.buffer] = is_ready_[load.view.buffer] || load.access == Access::kReady;
            }
            for (const Store& store : loop->stores) {
                touch(store.view.buffer, i);
            }
        } else {
            const Op& op = listing_.ops[std::get<std::uint32_t>(instructions_[i].what)];
            for (const View& view : op.in) {
                touch(view.buffer, i);
            }
            touch(op.out.buffer, i);
        }
    }
    for (const std::uint32_t buffer : pinned) {
        alive[buffer].last = end;
    }
    const std::vector<std::uint32_t> place_of = shared_places(alive);
    std::size_t kept = 0;
    offsets_.assign(buffers, 0);
    std::vector<Lifetime> shared;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 1; i < buffers; ++i) {
        const Buffer& buffer = listing_.buffers[i];
        const std::int64_t elements = is_ready_[i] ? kBlock : buffer.size;
        const std::size_t bytes = static_cast<std::size_t>(elements) * bytes_of(buffer.kind, real_);
        if (has_own_memory(buffer.segment)) {
            offsets_[i] = kept;
            kept += in_lines(bytes);
        } else if (place_of[i] == i && buffer.segment == Segment::kScratch && alive[i].first <= alive[i].last &&
                   alive[i].first != end) {
            alive[i].bytes = bytes;
            shared.push_back(alive[i]);
            numbers.push_back(i);
        }
    }
    const std::size_t all = std::accumulate(shared.begin(), shared.end(), std::size_t{0},
                                            [](std::size_t sum, const Lifetime& each) { return sum + each.bytes; });
    spreads_ = spreads_ && all <= kMostSpread;
    for (Lifetime& each : shared) {
        each = spreads_ ? Lifetime{.bytes = each.bytes, .first = 0, .last = end} : each;
    }
    const std::size_t total = place_lifetimes(shared);
    for (std::size_t i = 0; i < shared.size(); ++i) {
        offsets_[numbers[i]] = shared[i].offset;
    }
    for (std::size_t i = 1; i < buffers; ++i) {
        offsets_[i] = offsets_[place_of[i]];
    }
    for (auto [slab, bytes] : {std::pair{&arena_, total}, std::pair{&kept_, kept}}) {
        *slab = TENON_TRY(Slab::make(in_lines(std::max<std::size_t>(bytes, 1))));
    }
    memory_.bases.assign(buffers, nullptr);
    moving_.clear();
    for (std::size_t i = 1; i < buffers; ++i) {
        const Buffer& buffer = listing_.buffers[i];
        if (has_own_memory(buffer.segment)) {
            memory_.bases[i] = kept_.as<std::byte>() + offsets_[i];
        } else if (buffer.segment == Segment::kScratch) {
            memory_.bases[i] = arena_.as<std::byte>() + offsets_[i];
        }
        fill(i);
        if (buffer.segment != Segment::kScratch && buffer.segment != Segment::kKept &&
            buffer.segment != Segment::kConstant) {
            moving_.push_back(static_cast<std::uint32_t>(i));
        }
    }
    return place_desks();
}

Status Tape::place_desks() {
    std::size_t slots = 0;
    scratch_ = most_scratch(*this);
    for (const Instruction& instruction : instructions_) {
        const auto* loop = std::get_if<Loop>(&instruction.what);
        slots = std::max<std::size_t>(slots, loop == nullptr ? 0 : loop->slots);
    }
    const std::size_t blocks = in_lines(slots * kSlotBytes);
    const std::size_t pointers = in_lines(slots * sizeof(std::byte*));
    const std::size_t desk = blocks + pointers + in_lines(scratch_);
    memory_.slot_bytes = kSlotBytes;
    memory_.desks.resize(memory_.pool == nullptr ? 1 : memory_.pool->threads());
    work_ = TENON_TRY(Slab::make(std::max(desk * memory_.desks.size(), kAlignment)));
    for (std::size_t i = 0; i < memory_.desks.size(); ++i) {
        std::byte* at = work_.as<std::byte>() + i * desk;
        memory_.desks[i] = {at, reinterpret_cast<std::byte**>(at + blocks), at + blocks + pointers};
    }
    return {};
}

// Writes a constant's values.
void Tape::fill(std::size_t buffer) {
    const std::vector<std::byte>& value = listing_.buffers[buffer].values;
    auto* to = static_cast<std::byte*>(memory_.bases[buffer]);
    for (std::int64_t copies = is_ready_[buffer] ? kBlock : 1; copies > 0 && !value.empty(); --copies) {
        to = std::ranges::copy(value, to).out;
    }
}

Status Tape::resized() {
    for (std::size_t i = 1; i < listing_.buffers.size(); ++i) {
        Buffer& buffer = listing_.buffers[i];
        if (buffer.counted != 0) {
            set(buffer.values.data(), buffer.kind, real_, 0, static_cast<double>(buffer.counted));
            fill(i);
        }
    }
    for (const Op& op : listing_.ops) {
        TENON_TRY(op.scan ? op.scan->tape().resized() : Status());
    }
    return most_scratch(*this) > scratch_ ? place_desks() : Status();
}

}  // namespace tenon::compiled
