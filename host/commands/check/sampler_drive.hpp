// SPDX-License-Identifier: Apache-2.0
// Drives a sampler over a buffer of artificial episodes, with arrays that end at guard pages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/check/guarded.hpp"
#include "commands/check/sampler_on_device.hpp"
#include "commands/check/workbench.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "experience/replay/sampler_reads.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

struct SamplerShape {
    unsigned char fill = 0;   // content of arrays before they are written
    unsigned char fresh = 0;  // content of fresh heap memory of the sampler; 0: unchanged
    bool is_newer = false;    // structs are larger than the sampler knows
    // "emulated", "cuda": its kernels choose the rows; empty: the CPU, if it can.
    std::string_view device = {};
};

class SamplerDrive {
public:
    static constexpr std::uint32_t kSlots = 24;
    static constexpr std::uint32_t kLanes = 3;
    static constexpr std::uint32_t kMostRows = 240;  // including the steps of sequences

    static Result<std::unique_ptr<SamplerDrive>> make(const Workbench& bench, const SamplerShape& shape);

    [[nodiscard]] const Callee<tn_sampler_api>& callee() const { return sampler_; }
    [[nodiscard]] const SamplerPlan& plan() const { return plan_; }
    [[nodiscard]] const Storage& storage() const { return storage_; }
    [[nodiscard]] bool takes_priorities() const;
    [[nodiscard]] SamplerOnDevice* on_device() const { return on_device_.get(); }  // null: it chooses rows on the CPU

    // Destroys the instance and says how many bytes of the device's memory it did not free.
    std::uint64_t leave_device();

    // Appends steps of all lanes, whose episodes end at random.
    void append(std::uint32_t steps);
    [[nodiscard]] std::uint32_t steps() const { return static_cast<std::uint32_t>(steps_); }  // appended so far

    // A batch of `rows` rows, or of as many sequences as fit. False: the buffer holds too little for it.
    Result<bool> sample(std::uint32_t rows, std::uint64_t counter);
    Status prioritise(const std::vector<double>& priorities);

    // The rows of the last batch; every step of a sequence counts.
    [[nodiscard]] std::uint32_t rows() const { return rows_; }
    [[nodiscard]] std::uint32_t slot(std::uint32_t array, std::uint32_t row) const { return slots_of(array)[row]; }
    [[nodiscard]] std::uint32_t lane(std::uint32_t array, std::uint32_t row) const { return lanes_of(array)[row]; }
    [[nodiscard]] std::uint32_t width(std::size_t column) const;  // elements per row
    [[nodiscard]] double value(std::size_t column, std::uint32_t row, std::uint32_t element = 0) const;

    // What is wrong with the batch: rows that the buffer does not hold, or NaN; empty if nothing is.
    [[nodiscard]] std::string odd_batch() const;
    // The difference from the batch of another drive; empty if there is none.
    [[nodiscard]] std::string difference(const SamplerDrive& other) const;

private:
    SamplerDrive(const Workbench& bench, const SamplerShape& shape, Instance instance, Storage storage);

    Status make_arrays();
    [[nodiscard]] std::uint32_t* slots_of(std::uint32_t array) const;
    [[nodiscard]] std::uint32_t* lanes_of(std::uint32_t array) const;

    SamplerShape shape_;
    tn_key key_;
    tn_key episodes_;
    std::unique_ptr<SamplerOnDevice> on_device_;  // outlives the instance, whose memory is on it
    Instance instance_;
    Callee<tn_sampler_api> sampler_;
    Storage storage_;
    SamplerReads reads_;
    SamplerPlan plan_;
    std::vector<double> options_;
    std::vector<GuardedMemory> arrays_;   // slots and lanes of each array, alternately
    std::vector<GuardedMemory> columns_;  // of the sampler's own
    std::uint64_t steps_ = 0;
    std::uint32_t rows_ = 0;
};

}  // namespace tenon
