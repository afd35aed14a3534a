// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/scan_loop.hpp"

#include <chrono>
#include <cstring>
#include <utility>

namespace tenon::compiled {
namespace {

// The address of the passage in the result, in that step.
std::byte* in_result(const ScanLoop& loop, const Passage& passage, std::int64_t step, const Op& op,
                     const Memory& memory) {
    const StepPlace place = loop.place_of(passage, step);
    return static_cast<std::byte*>(memory.bases[op.out.buffer]) +
           static_cast<std::size_t>(op.out.offset) * bytes_of(Kind::kReal, loop.tape().real()) +
           static_cast<std::size_t>(place.elements) * passage.bytes;
}

}  // namespace

Status ScanLoop::make_tape(DType real, Pool* pool, const Tape* like) {
    tape_ = TENON_TRY(Tape::make(std::move(body), real, pinned, pool, like));
    return {};
}

StepPlace ScanLoop::place_of(const Passage& passage, std::int64_t step) const {
    const std::int64_t time = backward ? steps - 1 - step : step;
    const std::int64_t before = backward ? time + 1 : time - 1;
    switch (passage.what) {
        case Passage::What::kRead:
            return {.input = passage.input, .elements = time * passage.stride};
        case Passage::What::kMemory:
            return step == 0 ? StepPlace{.input = passage.input}
                             : StepPlace{.in_result = true, .elements = passage.place + before * passage.stride};
        case Passage::What::kHeld:
            return {.in_result = true, .elements = passage.place};
        default:
            return {.in_result = true, .elements = passage.place + time * passage.stride};
    }
}

void ScanLoop::run_body(const Call& call) {
    if (spent_ == nullptr) {
        tape_.run_phase(0, call);
        return;
    }
    using Clock = std::chrono::steady_clock;
    for (std::size_t i = 0; i < spent_->size(); ++i) {
        const Clock::time_point start = Clock::now();
        tape_.run(tape_.instructions()[i], call);
        (*spent_)[i] += std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    }
}

void ScanLoop::run_step(std::int64_t step, const Op& op, const Memory& memory, const Call& call) {
    tape_.begin(version_);
    for (const Passage& passage : passages) {
        const StepPlace place = place_of(passage, step);
        const View& view = place.in_result ? op.out : op.in[place.input];
        // results of several kinds are in one buffer, each at a place counted in its own elements
        const std::size_t start = static_cast<std::size_t>(view.offset) *
                                  (place.in_result ? bytes_of(Kind::kReal, tape_.real()) : passage.bytes);
        tape_.lend(passage.buffer, static_cast<std::byte*>(memory.bases[view.buffer]) + start +
                                       static_cast<std::size_t>(place.elements) * passage.bytes);
    }
    run_body(call);
    memory.faulty = memory.faulty || tape_.faulty();
    if (!tape_.kernels() && memory.failed) {
        memory.failed = tape_.kernels();
    }
}

bool ScanLoop::has_ended(std::int64_t step, const Op& op, const Memory& memory) const {
    const Passage& flags = passages[static_cast<std::size_t>(ends)];
    const std::byte* at = in_result(*this, flags, step, op, memory);
    for (std::int64_t i = 0; i < flags.stride; ++i) {
        const bool done = flags.bytes == sizeof(double) ? reinterpret_cast<const double*>(at)[i] != 0
                                                        : reinterpret_cast<const float*>(at)[i] != 0;
        if (!done) {
            return false;
        }
    }
    return true;
}

// Copies the results of the step to all later ones.
void ScanLoop::repeat(std::int64_t step, const Op& op, const Memory& memory) const {
    for (const Passage& passage : passages) {
        for (std::int64_t later = step + 1; passage.what == Passage::What::kWritten && later < steps; ++later) {
            std::memcpy(in_result(*this, passage, later, op, memory), in_result(*this, passage, step, op, memory),
                        static_cast<std::size_t>(passage.stride) * passage.bytes);
        }
    }
}

void ScanLoop::tell(std::int64_t step, const Op& op, const Memory& memory, const Watch& watch) {
    const Passage& result = passages[static_cast<std::size_t>(first)];
    const std::byte* const at = in_result(*this, result, step, op, memory);
    told_.resize(static_cast<std::size_t>(result.stride));
    for (std::size_t i = 0; i < told_.size(); ++i) {
        told_[i] = result.bytes == sizeof(double) ? reinterpret_cast<const double*>(at)[i]
                                                  : static_cast<double>(reinterpret_cast<const float*>(at)[i]);
    }
    watch.told(name, step, told_);
}

void ScanLoop::run(const Op& op, const Memory& memory, const Call& call) {
    ++version_;
    bool ended = false;
    for (std::int64_t step = 0; step < steps; ++step) {
        run_step(step, op, memory, call);
        if (call.watch != nullptr && first >= 0) {
            tell(step, op, memory, *call.watch);
        }
        if (ended) {  // this step has computed what rows give that are done
            return repeat(step, op, memory);
        }
        ended = ends >= 0 && has_ended(step, op, memory);
    }
}

}  // namespace tenon::compiled
