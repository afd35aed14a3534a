// SPDX-License-Identifier: Apache-2.0
// Runs a program on consecutive steps of a storage, [time][lane]: an objective's prepare before its updates on a
// collected batch and conclude after them, or its store on the frames that have come into a buffer. Its outputs are
// stored with the frames' own columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/data/slab.hpp"
#include "compute/exec/program.hpp"
#include "experience/replay/device_gather.hpp"
#include "experience/replay/device_ring.hpp"
#include "experience/replay/rollout.hpp"
#include "train/plan/programs.hpp"

namespace tenon {

class WholeBatch {
public:
    // Runs are over at most `most_steps` transitions of every lane. The storage may be moved, but not destroyed.
    // `ring`: where the frames are, if they are on a device. The runs are then on this device, and on transitions that
    // begin at slot 0.
    static Result<WholeBatch> make(const BuiltProgram& built, std::string_view reader, std::uint64_t seed,
                                   std::uint32_t most_steps, Executor& executor, Learner& learner,
                                   const Storage& storage, const DeviceRing* ring = nullptr);

    // Runs on the transitions that begin at slot `first`. give_up: as in Call.
    Status run(std::uint32_t first, std::uint32_t steps, const RunNumbers& numbers, std::uint64_t counter,
               GiveUp* give_up = nullptr);

    [[nodiscard]] std::span<const double> metrics() const { return metrics_; }  // of the last run

private:
    // A column that is written; without memory if nothing reads it.
    struct Output {
        std::byte* rows = nullptr;   // of slot 0
        std::size_t slot_bytes = 0;  // of all lanes
        Slab apart = {};             // memory for runs that wrap around the ring
    };

    WholeBatch() = default;

    Status point_at_device(const BuiltProgram& built, std::string_view reader, const Storage& storage,
                           const DeviceRing& ring);
    Status compute(const RunNumbers& numbers, std::uint64_t counter, GiveUp* give_up);
    Status point_outputs(std::uint32_t first, std::uint32_t steps);
    void put_back(std::uint32_t first, std::uint32_t steps);

    std::unique_ptr<Program> program_;
    Place place_;
    std::optional<Rollout> rollout_;  // this or the next
    std::unique_ptr<DeviceGather> on_device_;
    Sizes sizes_;
    std::vector<const void*> inputs_;
    std::vector<Output> written_;
    std::vector<void*> outputs_;
    std::uint32_t slots_ = 0;
    std::uint32_t most_steps_ = 0;
    std::vector<double> metrics_;
};

}  // namespace tenon
