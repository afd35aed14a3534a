// SPDX-License-Identifier: Apache-2.0
#include "compute/compiled/scan_loop.hpp"

#include <utility>

namespace tenon::compiled {

Status ScanLoop::make_tape(DType real, Pool* pool, const Tape* like) {
    Result<Tape> made = Tape::make(std::move(body), real, pinned, pool, like);
    if (!made) {
        return made.error();
    }
    tape_ = std::move(*made);
    return {};
}

void* ScanLoop::where(const Passage& passage, const Op& op, const Memory& memory, std::int64_t time, bool first) const {
    const bool reads = passage.what == Passage::What::kRead;
    const auto at = [&](const View& view, std::int64_t elements) -> void* {
        return static_cast<std::byte*>(memory.bases[view.buffer]) + (view.offset + elements) * passage.bytes;
    };
    if (reads || (first && passage.what == Passage::What::kMemory)) {
        return at(op.in[passage.input], reads ? time * passage.stride : 0);
    }
    const std::int64_t before = backward ? time + 1 : time - 1;
    return at(op.out, passage.place + (passage.what == Passage::What::kMemory ? before : time) * passage.stride);
}

void ScanLoop::run(const Op& op, const Memory& memory, const Call& call) {
    ++version_;
    for (std::int64_t step = 0; step < steps; ++step) {
        tape_.begin(version_);
        for (const Passage& passage : passages) {
            tape_.lend(passage.buffer, where(passage, op, memory, backward ? steps - 1 - step : step, step == 0));
        }
        tape_.run_phase(0, call);
        memory.faulty = memory.faulty || tape_.faulty();
        if (!tape_.kernels() && memory.failed) {
            memory.failed = tape_.kernels();
        }
    }
}

}  // namespace tenon::compiled
