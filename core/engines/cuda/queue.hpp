// SPDX-License-Identifier: Apache-2.0
// The works that are to run on a device, in order. Small works are kept until somebody waits for them or a large one
// follows. Then they run as one launch, by few blocks that wait for each other: an update of a small network has some
// forty works, and launching each of them would take longer than computing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "base/device/block.hpp"
#include "base/device/device.hpp"
#include "compute/exec/program.hpp"
#include "engines/cuda/accesses.hpp"
#include "engines/cuda/jit.hpp"
#include "engines/cuda/kernels.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

using Work =
    std::variant<LoopWork, ProductWork, ReduceWork, RowsWork, PatchWork, ScanWork, DrawWork, ImportWork, CopyWork,
                 ScaleWork, SquaresWork, NormWork, AdamWork, SgdWork, RmspropWork, LambWork, FollowWork>;

struct Launch {
    std::uint32_t phase = 0;
    std::uint32_t instruction = 0;  // of the tape
    Kernel kernel = Kernel::kLoop;
    bool by_block = false;   // `count` blocks, not elements
    std::int64_t count = 0;  // 0: there is nothing to do
    std::int64_t cost = 0;   // the approximate number of multiply-adds
    Work work;
};

// The number of multiply-adds that take as long as one element, or as one step of a loop for an element.
inline constexpr std::int64_t kElementCost = 16;
inline constexpr std::int64_t kStepCost = 4;
// The cost of one result of a sum in order: in a shared launch, 8,192 of them took 3 to 7 us on an H200.
inline constexpr std::int64_t kResultCost = 256;
// Works up to this cost may share a launch: it is what 16 of the 132 units of an H100 compute in some 5 us.
inline constexpr std::int64_t kSmallCost = 4'000'000;

// A launch for so many elements.
Launch launch_of(Kernel kernel, std::int64_t count, const Work& work);

// Writes the launch as a step of a run. A large launch is never part of a run; its step only describes which memory it
// reads and writes.
void write_step(RunStep& step, const Launch& launch);

class Queue {
public:
    Queue(std::shared_ptr<Device> device, const Kernels& kernels)
        : device_(std::move(device)), kernels_(kernels), jit_(device_) {}

    // Adds a table to which works point, until it is forgotten. Known sequences are dropped.
    void know(TableCopy table);
    void forget(const std::byte* on_device);

    // Writes these words before works that are added later run, and perhaps before works that are kept.
    Status put(std::span<const PutWord> words);
    Status add(const Launch& launch);
    // Enqueues the kept works, and then this one separately.
    Status add_alone(const Launch& launch);
    // Enqueues the kept works.
    Status send();

    // Counts what is enqueued from now on.
    void begin_count() { enqueued_ = {}; }
    [[nodiscard]] const Enqueued& enqueued() const { return enqueued_; }

    [[nodiscard]] bool keeps(const Launch& launch) const;
    // Whether the next work makes the queue send the kept ones.
    [[nodiscard]] bool is_full() const;
    // Sends the kept works as one launch, waits, and returns the microseconds of each work.
    Result<std::vector<double>> send_timed();

private:
    // A sequence of works, with an arranged copy on the device.
    struct Known {
        std::vector<RunStep> steps;
        std::vector<std::size_t> order;  // [place on the device] the index in steps
        std::size_t levels = 0;
        Block on_device;
        Jit::Run jit;
    };

    Status launch(const Launch& launch);
    Result<Known*> find_steps();

    std::shared_ptr<Device> device_;
    Kernels kernels_;
    Jit jit_;
    std::vector<TableCopy> tables_;
    std::vector<RunStep> steps_;  // in the order in which they were added
    Launch first_;                // of the kept works
    RunWork run_{};
    Enqueued enqueued_;
    std::vector<std::unique_ptr<Known>> known_;  // the sequence that ran last comes first
};

}  // namespace tenon::compiled::device
