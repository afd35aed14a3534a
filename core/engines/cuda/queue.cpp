// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/queue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engines/cuda/arranging.hpp"

namespace tenon::compiled::device {
namespace {

constexpr std::size_t kMostSteps = 1024;  // of a run: enough for two scans of many steps, which run in parallel
constexpr std::size_t kMostKnown = 32;
constexpr std::int64_t kThreads = 512;  // of a block of a run

// Whether a cluster of kTogether blocks fits on a device of this architecture (sm_90, sm_100, sm_103).
bool has_large_clusters(std::uint32_t arch) {
    return arch == 90 || arch / 10 == 10;
}

// The kernel that computes the same bits in a run.
Kernel in_run(Kernel kernel) {
    return kernel == Kernel::kProductNarrow ? Kernel::kProductByLanes : is_wide(kernel) ? Kernel::kProduct : kernel;
}

}  // namespace

Launch launch_of(Kernel kernel, std::int64_t count, const Work& work) {
    Launch out;
    out.kernel = kernel;
    out.count = count;
    out.cost = count * kElementCost;
    out.work = work;
    return out;
}

void write_step(RunStep& step, const Launch& launch) {
    std::memset(&step, 0, sizeof step);  // sequences are compared as bytes, padding included
    step.kernel = in_run(launch.kernel);
    step.blocks_used = static_cast<std::uint8_t>(std::clamp<std::int64_t>(
        launch.by_block ? launch.count : (launch.count + kThreads - 1) / kThreads, 1, kTogether));
    std::visit([&](const auto& work) { std::memcpy(step.work, &work, sizeof work); }, launch.work);
}

bool Queue::keeps(const Launch& launch) const {
    const tn_device& table = device_->table;
    return launch.cost <= kSmallCost && (table.device_type == TN_DEVICE_EMULATED || has_large_clusters(table.arch));
}

bool Queue::is_full() const {
    return steps_.size() == kMostSteps;
}

Status Queue::put(std::span<const PutWord> words) {
    Status done = run_.word_count + words.size() <= kMostWords ? Status() : send();
    for (; done && words.size() > kMostWords; words = words.subspan(kMostWords)) {
        run_.word_count = kMostWords;
        std::copy_n(words.begin(), kMostWords, run_.words);
        done = send();
    }
    std::ranges::copy(words, run_.words + run_.word_count);
    run_.word_count += static_cast<std::uint32_t>(words.size());
    return done;
}

Status Queue::launch(const Launch& launch) {
    ++enqueued_.works;
    ++enqueued_.levels;
    ++enqueued_.launches;
    if (launch.kernel == Kernel::kLoop) {
        void* const own = TENON_TRY(jit_.use(std::get<LoopWork>(launch.work), tables_));
        if (own != nullptr) {
            return launch_loop_of_jit(*device_, own, launch.count);
        }
    }
    Launch one = launch;
    void* const work = std::visit([](auto& each) { return static_cast<void*>(&each); }, one.work);
    const auto enqueue = launch.by_block ? &launch_blocks : &launch_elements;
    return enqueue(*device_, kernels_, launch.kernel, launch.count, work);
}

Status Queue::add_alone(const Launch& launch) {
    Status sent = send();
    return sent ? this->launch(launch) : sent;
}

Status Queue::add(const Launch& launch) {
    if (launch.count == 0) {
        return {};
    }
    if (!keeps(launch)) {
        return add_alone(launch);
    }
    TENON_TRY(is_full() ? send() : Status());
    if (steps_.empty()) {
        first_ = launch;
    }
    write_step(steps_.emplace_back(), launch);
    return {};
}

void Queue::know(TableCopy table) {
    tables_.push_back(std::move(table));
}

// Drops sequences with this address; those of other programs and their kernels stay.
void Queue::forget(const std::byte* on_device) {
    const auto table = std::ranges::find(tables_, on_device, &TableCopy::on_device);
    if (table == tables_.end()) {
        return;
    }
    std::erase_if(known_, [&](const auto& known) {
        return std::ranges::any_of(known->steps, [&](const RunStep& step) { return reads(step, *table); });
    });
    jit_.forget_loops(*table);
    tables_.erase(table);
}

// Finds the sequence of steps, or adds it. The same sequences are launched again and again, so most are known.
Result<Queue::Known*> Queue::find_steps() {
    const std::size_t bytes = steps_.size() * sizeof(RunStep);
    const auto found = std::ranges::find_if(known_, [&](const auto& known) {
        return known->steps.size() == steps_.size() && std::memcmp(known->steps.data(), steps_.data(), bytes) == 0;
    });
    if (found != known_.end()) {
        std::rotate(known_.begin(), found, found + 1);
        return known_.front().get();
    }
    Block made = TENON_TRY(Block::make(device_, bytes));
    auto known = std::make_unique<Known>(
        Known{.steps = steps_, .order = {}, .levels = 0, .on_device = std::move(made), .jit = {}});
    const std::vector<RunStep> arranged = arrange(steps_, tables_, known->order);
    known->levels = static_cast<std::size_t>(std::ranges::count(arranged, 1, &RunStep::others_wait));
    TENON_TRY(known->on_device.write(arranged.data(), bytes));
    if (known_.size() == kMostKnown) {
        known_.pop_back();
    }
    known_.insert(known_.begin(), std::move(known));
    return known_.front().get();
}

Status Queue::send() {
    if (steps_.empty() && run_.word_count == 0) {
        return {};
    }
    Status done;
    if (steps_.size() == 1 && run_.word_count == 0 && run_.times == nullptr) {
        done = launch(first_);  // the whole device is faster than a few of its units
    } else if (steps_.empty()) {
        ++enqueued_.launches;
        PutWork put{.count = run_.word_count, .words = {}};
        std::copy_n(run_.words, run_.word_count, put.words);
        done = launch_elements(*device_, kernels_, Kernel::kPut, put.count, &put);
    } else {
        Known* const known = TENON_TRY(find_steps());
        run_.steps = reinterpret_cast<const RunStep*>(known->on_device.memory());
        run_.count = static_cast<std::uint32_t>(steps_.size());
        enqueued_.works += steps_.size();
        enqueued_.levels += known->levels;
        ++enqueued_.launches;
        const Result<void*> own = jit_.use(known->jit, steps_, tables_);
        done = !own              ? Status(own.error())
               : *own == nullptr ? launch_run(*device_, kernels_, &run_)
                                 : launch_run_of_jit(*device_, *own, &run_);
    }
    steps_.clear();
    run_.word_count = 0;
    return done;
}

Result<std::vector<double>> Queue::send_timed() {
    std::vector<double> out(steps_.size());
    if (out.empty()) {
        return out;
    }
    std::vector<std::uint64_t> times(out.size() + 1);
    Block on_device = TENON_TRY(Block::make(device_, times.size() * sizeof(std::uint64_t)));
    run_.times = reinterpret_cast<std::uint64_t*>(on_device.memory());
    Status done = send();
    run_.times = nullptr;
    done = done ? on_device.read(times.data(), times.size() * sizeof(std::uint64_t)) : done;
    for (std::size_t i = 0; i < out.size() && done; ++i) {
        out[known_.front()->order[i]] = static_cast<double>(times[i + 1] - times[i]) / 1000;
    }
    return done ? Result<std::vector<double>>(std::move(out)) : Result<std::vector<double>>(std::move(done).error());
}

}  // namespace tenon::compiled::device
