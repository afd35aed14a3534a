// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/tape.hpp"

#include <algorithm>
#include <utility>

#include "compute/exec/rows.hpp"
#include "engines/compiled/element.hpp"
#include "engines/compiled/loop.hpp"
#include "engines/compiled/operations.hpp"
#include "engines/compiled/ordering.hpp"
#include "engines/compiled/scan_loop.hpp"

namespace tenon::compiled {
namespace {

bool has_same_operations(const Listing& a, const Listing& b) {
    return a.buffers.size() == b.buffers.size() && std::ranges::equal(a.ops, b.ops, {}, &Op::code, &Op::code);
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

Result<Tape> Tape::make(Listing listing, DType real, std::span<const std::uint32_t> pinned, Pool* pool,
                        const Tape* like) {
    Tape tape;
    tape.real_ = real;
    tape.memory_.pool = pool;
    tape.listing_ = std::move(listing);
    if (like == nullptr) {
        tape.instructions_ = ordered(tape.listing_, real, pinned);
    } else {
        auto order = has_same_operations(like->listing_, tape.listing_)
                         ? ordered_like(like->instructions_, tape.listing_, real, pinned)
                         : std::nullopt;
        if (!order) {
            return plugin_problem("these sizes need other operations, or another order of them");
        }
        tape.instructions_ = std::move(*order);
    }
    for (std::size_t i = 0; i < tape.listing_.ops.size(); ++i) {
        Op& op = tape.listing_.ops[i];
        prepare_operation(op);
        const Tape* body = like == nullptr || !op.scan ? nullptr : &like->listing_.ops[i].scan->tape();
        TENON_TRY(op.scan ? op.scan->make_tape(real, pool, body) : Status());
    }
    tape.spreads_ = pool != nullptr && pool->threads() > 1;
    TENON_TRY(tape.place(pinned));
    if (tape.spreads_) {
        tape.plan_branches();
        tape.spreads_ = !tape.branches_.empty();
        TENON_TRY(tape.spreads_ ? Status() : tape.place(pinned));
    }
    return tape;
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
        switch (buffer.segment) {
            case Segment::kPort:
                memory_.bases[i] = const_cast<void*>(call.inputs[buffer.index]);  // it is only read
                break;
            case Segment::kParameter:
                memory_.bases[i] = slab_of(learner.networks[buffer.index], buffer.slab).as<std::byte>() + offset;
                break;
            case Segment::kGradient:
                memory_.bases[i] = at_once ? learner.networks[buffer.index].gradient.as<std::byte>() + offset
                                           : kept_.as<std::byte>() + offsets_[i];
                break;
            case Segment::kLive:
                set(memory_.bases[i], Kind::kReal, real_, 0,
                    buffer.index == kFrames     ? call.numbers.frames
                    : buffer.index == kUpdates  ? call.numbers.updates
                    : buffer.index == kProgress ? call.numbers.progress
                                                : call.numbers.live[buffer.index]);
                break;
            default:
                break;
        }
    }
}

void Tape::run_with(const Instruction& instruction, const Call& call, const Memory& memory) const {
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        run_loop(*loop, memory);
    } else {
        run_operation(listing_.ops[std::get<std::uint32_t>(instruction.what)], real_, memory, call);
    }
}

void Tape::run(const Instruction& instruction, const Call& call) const {
    run_with(instruction, call, memory_);
}

void Tape::run_phase(std::uint32_t phase, const Call& call, GiveUp* give_up) {
    if (phase < branches_.size() && branches_[phase].pays() && give_up == nullptr) {
        run_branches(phase, call);
        return;
    }
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
