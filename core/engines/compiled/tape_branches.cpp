// SPDX-License-Identifier: Apache-2.0
// The branches of a tape: what its instructions read and write, and about how long they take.
#include <algorithm>

#include "engines/compiled/element.hpp"
#include "engines/compiled/operations.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {
namespace {

constexpr unsigned kMostThreads = 4;  // small programs have few branches
constexpr std::size_t kMostTasks = 1024;

// Rough times in nanoseconds, on one core of a server of 2024; only ratios matter.
constexpr double kPerInstruction = 80;
constexpr double kPerMultiplication = 0.008;
constexpr double kPerStep = 0.04;
constexpr double kPerFunction = 0.2;
constexpr double kPerElement = 0.2;  // of an operation that is neither a loop nor a product

// Whether it may run while another operation runs. Authors' kernels may not; the other two have tapes of their own.
bool is_free(const Op& op) {
    return op.code != Code::kFused && op.code != Code::kScan && op.code != Code::kNextRows;
}

}  // namespace

Task Tape::task_of(const Instruction& instruction) const {
    Task out{.ns = kPerInstruction, .touches = {}};
    const auto touch = [&](std::uint32_t buffer, bool writes) {
        const Buffer& whole = listing_.buffers[buffer];
        const std::size_t size = static_cast<std::size_t>(is_ready_[buffer] ? kBlock : whole.size);
        const std::size_t each = bytes_of(whole.kind, real_);
        Touch place{.memory = buffer, .first = 0, .last = 0, .writes = writes};
        if (whole.segment == Segment::kScratch) {
            place.memory = 0;
            place.first = offsets_[buffer];
        } else if (whole.segment == Segment::kGradient) {  // stages may share a slab
            place.memory = listing_.buffers.size() + whole.index;
            place.first = whole.offset * each;
        }
        place.last = place.first + std::max<std::size_t>(size * each, 1);
        out.touches.push_back(place);
    };
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        for (const Load& load : loop->loads) {
            touch(load.view.buffer, false);
        }
        for (const Store& store : loop->stores) {
            touch(store.view.buffer, true);
        }
        for (const std::uint32_t op : loop->ops) {
            const double each = is_function(listing_.ops[op].code) ? kPerFunction : kPerStep;
            out.ns += each * static_cast<double>(loop->count);
        }
        return out;
    }
    const Op& op = listing_.ops[std::get<std::uint32_t>(instruction.what)];
    for (const View& view : op.in) {
        touch(view.buffer, false);
    }
    touch(op.out.buffer, true);
    if (op.lasting != 0) {
        touch(op.lasting, true);
    }
    if (op.code == Code::kProduct) {
        out.ns += kPerMultiplication * static_cast<double>(op.in[0].count() * op.in[1].shape[2]);
    } else if (op.code == Code::kAttention || op.code == Code::kAttentionGradient) {
        out.ns += kPerMultiplication * attention_work(op);
    } else {
        const std::int64_t in = op.in.empty() ? 0 : op.in[0].count();
        out.ns += kPerElement * static_cast<double>(std::max(in, op.out.count()));
    }
    return out;
}

void Tape::plan_branches() {
    // buffers of a scan's body may be the same memory
    const bool is_body = std::ranges::any_of(listing_.buffers, [](const Buffer& buffer) {
        return buffer.segment == Segment::kOutside || buffer.segment == Segment::kStep;
    });
    if (is_body || !std::ranges::all_of(listing_.ops, is_free) || instructions_.size() > kMostTasks) {
        return;
    }
    std::vector<std::vector<Task>> tasks;
    for (std::uint32_t i = 0; i < instructions_.size(); ++i) {
        const std::uint32_t phase = instructions_[i].phase;
        if (phase >= tasks.size()) {
            tasks.resize(phase + 1);
            phase_instructions_.resize(phase + 1);
        }
        tasks[phase].push_back(task_of(instructions_[i]));
        phase_instructions_[phase].push_back(i);
    }
    const unsigned threads = std::min(memory_.pool->threads(), kMostThreads);
    for (const std::vector<Task>& each : tasks) {
        branches_.emplace_back(each, threads);
    }
    if (std::ranges::none_of(branches_, &Branches::pays)) {
        branches_.clear();
    }
}

void Tape::run_branches(std::uint32_t phase, const Call& call) {
    struct Work {
        Tape& tape;
        const Call& call;
        const std::vector<std::uint32_t>& tasks;
    };
    own_memories_.resize(branches_[phase].threads());
    for (std::size_t i = 0; i < own_memories_.size(); ++i) {
        Memory& own = own_memories_[i];
        own.bases = memory_.bases;
        own.desks.assign(1, memory_.desks[i]);
        own.slot_bytes = memory_.slot_bytes;
        own.same_parameters = memory_.same_parameters;
        own.faulty = false;
    }
    Work work{*this, call, phase_instructions_[phase]};
    branches_[phase].run(
        *memory_.pool,
        [](void* arg, unsigned thread, std::uint32_t task) {
            const Work& all = *static_cast<Work*>(arg);
            all.tape.run_with(all.tape.instructions_[all.tasks[task]], all.call, all.tape.own_memories_[thread]);
        },
        &work);
    for (const Memory& own : own_memories_) {
        memory_.faulty = memory_.faulty || own.faulty;
    }
}

}  // namespace tenon::compiled
