// SPDX-License-Identifier: Apache-2.0
// A tape as launches of kernels, for one set of sizes: the memory of its values on a device, and the arguments of every
// kernel. A call copies its columns and numbers to the device as one block. After a phase the results that the host
// reads are copied back as one block, to their places in the host's tape. Columns that are already on the device are
// not copied, and then the numbers of a call are arguments of a launch, so that the host does not wait before the next
// call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "compute/compiled/device/block.hpp"
#include "compute/compiled/device/slabs.hpp"
#include "compute/compiled/device/work.hpp"
#include "compute/compiled/specialised.hpp"

namespace tenon::compiled::device {

struct Launch {
    std::uint32_t phase = 0;
    Kernel kernel = Kernel::kLoop;
    bool by_block = false;  // `count` blocks, not elements
    std::int64_t count = 0;
    std::variant<LoopWork, ProductWork, ReduceWork, RowsWork, ScanWork, DrawWork, ImportWork, CopyWork> work;
};

// Copies that one kernel makes.
struct Copying {
    CopyWork work{};
    std::int64_t longest = 0;  // elements of one item
};

// Values that go to the host.
struct Shown {
    struct Part {
        std::uint32_t buffer = 0;
        std::size_t offset = 0;  // in the block
        std::size_t bytes = 0;
    };
    std::vector<Part> parts;
    std::size_t end = 0;  // of the last part
    Copying copying;
};

// What a call gives: bytes of the block that goes to the device.
struct Given {
    std::uint32_t buffer = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::size_t index = 0;  // of a port
};

class Launches final : public There {
public:
    // The problem is what has no kernel, or what the device says.
    // If columns are on the device: for the addresses of this call.
    static Result<std::unique_ptr<Launches>> make(Specialised& program, const ProgramSpec& spec, const Learner& learner,
                                                  Slabs& slabs, const Call& call);

    // Whether it is for the call's sizes and addresses.
    [[nodiscard]] bool is_for(const Call& call) const;

    // After the tape's begin.
    Status begin(const Call& call);
    Status run_phase(std::uint32_t phase);
    // Brings what is read after a phase to the host's tape. True: an index was out of range. Of a program that leaves
    // its results on the device there may be nothing to be read.
    Result<bool> show_phase(std::uint32_t phase);
    Status show_gradients(std::size_t place);
    Status store_gradients(std::size_t place, bool add);
    Status take_snapshots(std::ptrdiff_t after);
    Status commit_states();

private:
    Launches(Specialised& program, const Learner& learner, Slabs& slabs, const Call& call);

    Status put_numbers();
    Status run(Launch& launch);
    Status copy(Copying& copying);
    Status fetch(Shown& shown);

    friend class Building;

    Specialised& program_;
    const Learner& learner_;
    Slabs& slabs_;
    Sizes sizes_;
    bool there_ = false;               // columns are on the device
    std::vector<const void*> inputs_;  // this and the next two: addresses there
    std::vector<void*> outputs_;
    std::uint32_t* fault_ = nullptr;
    Block arena_;
    Block kept_;
    Block given_;   // whether an index was out of range, DrawNumbers, numbers that schedules move, columns
    Block shown_;   // the same, and what is read
    Block tables_;  // what the works point to
    Block states_;  // values that become the networks' own state at the end
    std::vector<Given> numbers_;
    std::size_t numbers_end_ = 0;
    std::vector<Given> columns_;
    std::vector<Launch> launches_;
    Copying written_;  // to outputs
    std::vector<Shown> phases_;
    std::vector<Shown> gradients_;  // this and the next two: by place
    std::vector<Copying> stored_;
    std::vector<Copying> added_;
    std::vector<std::pair<std::ptrdiff_t, Copying>> snapshots_;  // after which stage
    Copying read_states_;
    Copying write_states_;
};

}  // namespace tenon::compiled::device
