// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/scan_loop.hpp"

#include <utility>

namespace tenon::compiled {

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
        default:
            return {.in_result = true, .elements = passage.place + time * passage.stride};
    }
}

void ScanLoop::run(const Op& op, const Memory& memory, const Call& call) {
    ++version_;
    for (std::int64_t step = 0; step < steps; ++step) {
        tape_.begin(version_);
        for (const Passage& passage : passages) {
            const StepPlace place = place_of(passage, step);
            const View& view = place.in_result ? op.out : op.in[place.input];
            tape_.lend(passage.buffer, static_cast<std::byte*>(memory.bases[view.buffer]) +
                                           (view.offset + place.elements) * passage.bytes);
        }
        tape_.run_phase(0, call);
        memory.faulty = memory.faulty || tape_.faulty();
        if (!tape_.kernels() && memory.failed) {
            memory.failed = tape_.kernels();
        }
    }
}

}  // namespace tenon::compiled
