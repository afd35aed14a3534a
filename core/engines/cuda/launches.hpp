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
#include <vector>

#include "base/device/block.hpp"
#include "engines/compiled/specialised.hpp"
#include "engines/cuda/queue.hpp"
#include "engines/cuda/slabs.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// Values that go to the host.
struct Shown {
    struct Part {
        std::uint32_t buffer = 0;
        std::size_t offset = 0;  // in the block
        std::size_t bytes = 0;
    };
    std::vector<Part> parts;
    std::size_t end = 0;  // the end of the last part
    CopyWork copying{};
};

// Data of a call: bytes of the block that is copied to the device.
struct Given {
    std::uint32_t buffer = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::size_t index = 0;  // of a port
};

class Launches final : public DeviceForm {
public:
    ~Launches() override;
    Launches(const Launches&) = delete;
    Launches& operator=(const Launches&) = delete;

    // The problem is an operation without a kernel, or what the device says. If columns are on the device, the launches
    // are for the addresses of this call.
    static Result<std::unique_ptr<Launches>> make(Specialised& program, const ProgramSpec& spec, const Learner& learner,
                                                  Slabs& slabs, const Call& call);

    // Whether these launches fit the call's sizes and addresses. Those made for steps of one minibatch cannot gather
    // several; those made for several fit both.
    [[nodiscard]] bool is_for(const Call& call) const;

    // Call it after the tape's begin.
    Status begin(const Call& call);
    // The same for a call whose results are kept, together with those of up to kMostLater - 1 others. Call keep_phase
    // after each phase, and keep_norms at the end.
    Status begin_kept(const Call& call);
    Status keep_phase(std::uint32_t phase) { return copy(kept_phases_[phase]); }
    Status keep_norms() { return copy(kept_norms_); }
    // Waits for the kept results. Then recall copies those of a call, by their order, to the host's tape, and the norms
    // of all networks and steps (Slabs::device_norms). True: an index was out of range.
    Status fetch_kept();
    bool recall(std::size_t number, std::span<double> norms);
    [[nodiscard]] std::size_t kept() const { return kept_count_; }
    Status run_phase(std::uint32_t phase);
    // Copies the values that are read after a phase to the host's tape. True: an index was out of range. A program that
    // leaves its results on the device may have none.
    Result<bool> show_phase(std::uint32_t phase);
    Status show_gradients(std::size_t place);
    Status store_gradients(std::size_t place, bool add);
    Status take_snapshots(std::ptrdiff_t after);
    Status commit_states();
    // Launches the works that the queue has kept.
    Status send() { return queue_->send(); }

    // The time of each launch. The results of these runs are meaningless.
    Result<std::vector<Spent>> profile(int runs = 20);

private:
    Launches(Specialised& program, const Learner& learner, Slabs& slabs, const Call& call);

    Status put_numbers();
    Status time_launches(std::span<double> us);
    Status copy(const CopyWork& work);
    Status fetch(Shown& shown);

    friend class Building;

    Specialised& program_;
    const Learner& learner_;
    Slabs& slabs_;
    std::shared_ptr<Queue> queue_;  // that of the slabs
    Sizes sizes_;
    bool gathers_ = false;             // gradients have memory of their own, so that those of minibatches can be added
    bool on_device_ = false;           // columns are on the device
    std::vector<const void*> inputs_;  // this and the next two: addresses on the device
    std::vector<void*> outputs_;
    std::uint32_t* fault_ = nullptr;
    Block arena_;
    Block kept_;
    Block given_;    // whether an index was out of range, DrawNumbers, numbers that schedules move, columns
    Block shown_;    // the same, and values that are read
    Block tables_;   // to which the works point
    Block partial_;  // sums of parts
    Block results_;  // results of calls that are kept
    Block states_;   // values that become the networks' own state at the end
    std::vector<Given> numbers_;
    std::size_t numbers_end_ = 0;
    bool reads_numbers_ = true;  // or numbers for random nodes
    std::vector<Given> columns_;
    std::vector<Launch> launches_;
    CopyWork written_;  // to outputs
    std::vector<CopyWork> kept_phases_;
    CopyWork kept_norms_;
    std::size_t kept_bytes_ = 0;        // of one call
    std::vector<std::size_t> kept_at_;  // by phase: where its results begin
    std::size_t norms_at_ = 0;
    std::size_t kept_count_ = 0;
    std::vector<Shown> phases_;
    std::vector<Shown> gradients_;  // this and the next two: by place
    std::vector<CopyWork> stored_;
    std::vector<CopyWork> added_;
    std::vector<std::pair<std::ptrdiff_t, CopyWork>> snapshots_;  // after which stage
    CopyWork read_states_;
    CopyWork write_states_;
};

}  // namespace tenon::compiled::device
