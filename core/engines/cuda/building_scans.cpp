// SPDX-License-Identifier: Apache-2.0
// Scans over time: the works of the body once for each step, with the addresses of that step. Values that only the body
// uses have the same memory in all steps.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "engines/compiled/scan_loop.hpp"
#include "engines/cuda/building.hpp"

namespace tenon::compiled::device {

// Reserves memory for the bodies from `end` on, and after the memory that the tape keeps. Returns the new end.
std::size_t Building::lay_out_bodies(std::size_t end) {
    for (const Op& op : tape_.listing().ops) {
        if (op.code != Code::kScan) {
            continue;
        }
        const Tape& tape = op.scan->tape();
        Body& body = bodies_[&op];
        for (const Buffer& buffer : tape.listing().buffers) {
            const auto bytes = static_cast<std::size_t>(buffer.size) * bytes_of(buffer.kind, tape_.real());
            body.scratch_at.push_back(buffer.segment == Segment::kScratch ? take_lines(end, bytes) : 0);
        }
        kept_end_ = in_lines(kept_end_);
        body.kept_at = take_lines(kept_end_, tape.kept().size());
    }
    return end;
}

Status Building::write_kept() {
    std::vector<std::byte> all(kept_end_);
    std::copy_n(tape_.kept().as<std::byte>(), tape_.kept().size(), all.begin());
    for (const auto& [op, body] : bodies_) {
        const Slab& kept = op->scan->tape().kept();
        std::copy_n(kept.as<std::byte>(), kept.size(), all.begin() + static_cast<std::ptrdiff_t>(body.kept_at));
    }
    return out_.kept_.write(all.data(), all.size());
}

void Building::add_scan(const Op& op, const Launch& launch) {
    const ScanLoop& scan = *op.scan;
    const Body& body = bodies_.at(&op);
    Frame frame{.tape = &scan.tape(), .bases = {}};
    const std::vector<Buffer>& buffers = frame.tape->listing().buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        frame.bases.push_back(buffers[i].segment == Segment::kScratch
                                  ? out_.arena_.memory() + body.scratch_at[i]
                                  : out_.kept_.memory() + body.kept_at + frame.tape->offset_of(i));
    }
    for (std::int64_t step = 0; step < scan.steps; ++step) {
        for (const Passage& passage : scan.passages) {
            const StepPlace place = scan.place_of(passage, step);
            frame.bases[passage.buffer] =
                start(place.in_result ? op.out : op.in[place.input]) + place.elements * passage.bytes;
        }
        const Frame* const around = std::exchange(at_, &frame);
        for (const Instruction& instruction : frame.tape->instructions()) {
            add(instruction, launch.instruction, launch.phase);
        }
        at_ = around;
    }
}

}  // namespace tenon::compiled::device
