// SPDX-License-Identifier: Apache-2.0
#include "compiled/tape.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "compiled/arena.hpp"
#include "compiled/element.hpp"
#include "compiled/loop.hpp"
#include "compiled/operations.hpp"
#include "compiled/ordering.hpp"
#include "compiled/scan_loop.hpp"
#include "exec/rows.hpp"

namespace tenon::compiled {
namespace {

std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Ints and doubles are of 8 bytes; a line more, so that blocks do not meet in the same lines of the cache.
constexpr std::size_t kSlotBytes = static_cast<std::size_t>(kBlock) * 8 + kAlignment;

bool is_kept(Home home) {
    return home == Home::kKept || home == Home::kConstant || home == Home::kGradient || home == Home::kLive;
}

}  // namespace

std::size_t bytes_of(Kind kind, DType real) {
    return size_of(stored_as(kind, real));
}

View flattened(const View& view) {
    View out{.buffer = view.buffer, .offset = view.offset, .shape = {}, .strides = {}};
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
        if (view.shape[d] == 1) {
            continue;
        }
        if (!out.shape.empty() && out.strides.back() == view.strides[d] * view.shape[d]) {
            out.shape.back() *= view.shape[d];
            out.strides.back() = view.strides[d];
        } else {
            out.shape.push_back(view.shape[d]);
            out.strides.push_back(view.strides[d]);
        }
    }
    return out;
}

Result<Tape> Tape::make(Listing listing, DType real, std::span<const std::uint32_t> pinned, Pool* pool) {
    Tape tape;
    tape.real_ = real;
    tape.memory_.pool = pool;
    tape.listing_ = std::move(listing);
    tape.instructions_ = ordered(tape.listing_, real, pinned);
    for (Op& op : tape.listing_.ops) {
        prepare_operation(op);
        if (Status made = op.scan ? op.scan->make_tape(real, pool) : Status(); !made) {
            return made.error();
        }
    }
    if (Status placed = tape.place(pinned); !placed) {
        return placed.error();
    }
    return tape;
}

// By buffer: in whose place it lies. What a loop writes takes the place of what it reads for the last time, if that is
// not read after it has been written.
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
    std::vector<bool> is_ready(buffers, false);
    std::size_t slots = 0;
    std::size_t scratch = 0;
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
        if (const auto* loop = std::get_if<Loop>(&instructions_[i].what)) {
            for (const Load& load : loop->loads) {
                touch(load.view.buffer, i);
                is_ready[load.view.buffer] = is_ready[load.view.buffer] || load.access == Access::kReady;
            }
            for (const Store& store : loop->stores) {
                touch(store.view.buffer, i);
            }
            slots = std::max<std::size_t>(slots, loop->slots);
        } else {
            const Op& op = listing_.ops[std::get<std::uint32_t>(instructions_[i].what)];
            for (const View& view : op.in) {
                touch(view.buffer, i);
            }
            touch(op.out.buffer, i);
            scratch = std::max(scratch, scratch_of(op, real_));
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
        const std::int64_t elements = is_ready[i] ? kBlock : buffer.size;
        const std::size_t bytes = static_cast<std::size_t>(elements) * bytes_of(buffer.kind, real_);
        if (is_kept(buffer.home)) {
            offsets_[i] = kept;
            kept += aligned(bytes);
        } else if (place_of[i] == i && buffer.home == Home::kScratch && alive[i].first <= alive[i].last &&
                   alive[i].first != end) {
            alive[i].bytes = bytes;
            shared.push_back(alive[i]);
            numbers.push_back(i);
        }
    }
    const std::size_t total = place_lifetimes(shared);
    for (std::size_t i = 0; i < shared.size(); ++i) {
        offsets_[numbers[i]] = shared[i].offset;
    }
    for (std::size_t i = 1; i < buffers; ++i) {
        offsets_[i] = offsets_[place_of[i]];
    }
    const std::size_t blocks = aligned(slots * kSlotBytes);
    const std::size_t pointers = aligned(slots * sizeof(std::byte*));
    const std::size_t desk = blocks + pointers + aligned(scratch);
    memory_.desks.resize(memory_.pool == nullptr ? 1 : memory_.pool->threads());
    for (auto [slab, bytes] :
         {std::pair{&arena_, total}, std::pair{&kept_, kept}, std::pair{&work_, desk * memory_.desks.size()}}) {
        Result<Slab> made = Slab::make(aligned(std::max<std::size_t>(bytes, 1)));
        if (!made) {
            return made.error();
        }
        *slab = std::move(*made);
    }
    memory_.bases.assign(buffers, nullptr);
    memory_.slot_bytes = kSlotBytes;
    for (std::size_t i = 0; i < memory_.desks.size(); ++i) {
        std::byte* at = work_.as<std::byte>() + i * desk;
        memory_.desks[i] = {at, reinterpret_cast<std::byte**>(at + blocks), at + blocks + pointers};
    }
    for (std::size_t i = 1; i < buffers; ++i) {
        const Buffer& buffer = listing_.buffers[i];
        if (is_kept(buffer.home)) {
            memory_.bases[i] = kept_.as<std::byte>() + offsets_[i];
        } else if (buffer.home == Home::kScratch) {
            memory_.bases[i] = arena_.as<std::byte>() + offsets_[i];
        }
        auto* values = static_cast<std::byte*>(memory_.bases[i]);
        for (std::int64_t copies = is_ready[i] ? kBlock : 1; copies > 0 && !buffer.values.empty(); --copies) {
            values = std::ranges::copy(buffer.values, values).out;
        }
        if (buffer.home != Home::kScratch && buffer.home != Home::kKept && buffer.home != Home::kConstant) {
            moving_.push_back(static_cast<std::uint32_t>(i));
        }
    }
    return {};
}

void Tape::begin(std::uint64_t version) {
    memory_.same_parameters = version != 0 && version == std::exchange(version_, version);
    memory_.faulty = false;
    memory_.failed = Status();
}

void Tape::begin(const Call& call, const Learner& learner, std::uint64_t version) {
    begin(version);
    const bool at_once = call.part.first && call.part.last;
    for (const std::uint32_t i : moving_) {
        const Buffer& buffer = listing_.buffers[i];
        const std::size_t offset = buffer.offset * bytes_of(Kind::kReal, real_);
        switch (buffer.home) {
            case Home::kPort:
                memory_.bases[i] = const_cast<void*>(call.inputs[buffer.index]);  // nothing writes there
                break;
            case Home::kParameter:
                memory_.bases[i] = learner.networks[buffer.index].live.as<std::byte>() + offset;
                break;
            case Home::kTarget:
                memory_.bases[i] = learner.networks[buffer.index].target.as<std::byte>() + offset;
                break;
            case Home::kGradient:
                memory_.bases[i] = at_once ? learner.networks[buffer.index].gradient.as<std::byte>() + offset
                                           : kept_.as<std::byte>() + offsets_[i];
                break;
            case Home::kLive:
                set(memory_.bases[i], Kind::kReal, real_, 0,
                    buffer.index == kFrames     ? call.frames
                    : buffer.index == kUpdates  ? call.updates
                    : buffer.index == kProgress ? call.progress
                                                : call.live[buffer.index]);
                break;
            default:
                break;
        }
    }
}

void Tape::run(const Instruction& instruction, const Call& call) const {
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        run_loop(*loop, memory_);
    } else {
        run_operation(listing_.ops[std::get<std::uint32_t>(instruction.what)], real_, memory_, call);
    }
}

void Tape::run_phase(std::uint32_t phase, const Call& call, GiveUp* give_up) {
    for (const Instruction& instruction : instructions_) {
        if (instruction.phase != phase) {
            continue;
        }
        if (give_up != nullptr && give_up->asked()) {
            give_up->given_up = true;
            return;
        }
        run(instruction, call);
    }
}

void Tape::copy(const View& from, const View& to) {
    const std::size_t bytes = bytes_of(Kind::kReal, real_);
    bring(from, static_cast<const std::byte*>(memory_.bases[from.buffer]), bytes, 0, from.count(),
          static_cast<std::byte*>(memory_.bases[to.buffer]) + static_cast<std::size_t>(to.offset) * bytes);
}

double Tape::element(const View& view, Kind kind, std::int64_t index) const {
    const std::size_t bytes = bytes_of(kind, real_);
    alignas(8) std::byte raw[8];
    bring(view, static_cast<const std::byte*>(memory_.bases[view.buffer]), bytes, index, 1, raw);
    return get(raw, kind, real_);
}

}  // namespace tenon::compiled
