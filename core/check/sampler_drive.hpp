// SPDX-License-Identifier: Apache-2.0
// A sampler over a buffer of made-up episodes, with arrays behind which nobody may write.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check/guarded.hpp"
#include "check/workbench.hpp"
#include "replay/callee.hpp"
#include "replay/sampler_plan.hpp"
#include "replay/storage.hpp"

namespace tenon {

struct SamplerShape {
    unsigned char fill = 0;   // what arrays hold before they are written
    unsigned char fresh = 0;  // what memory holds that the sampler gets from the heap; 0: as it comes
    bool is_newer = false;    // structs are larger than the sampler knows
};

class SamplerDrive {
public:
    static constexpr std::uint32_t kSlots = 24;
    static constexpr std::uint32_t kLanes = 3;
    static constexpr std::uint32_t kMostRows = 240;  // steps of sequences count

    static Result<std::unique_ptr<SamplerDrive>> make(const Workbench& bench, const SamplerShape& shape);

    [[nodiscard]] const Callee<tn_sampler_api>& callee() const { return sampler_; }
    [[nodiscard]] const SamplerPlan& plan() const { return plan_; }
    [[nodiscard]] const Storage& storage() const { return storage_; }
    [[nodiscard]] bool takes_priorities() const;

    // So many more steps of all lanes, whose episodes end at random.
    void append(std::uint32_t steps);

    // A batch of `rows` rows; of sequences as many of them as fit in. False: the buffer holds too little for it.
    Result<bool> sample(std::uint32_t rows, std::uint64_t counter);
    Status prioritise(const std::vector<double>& priorities);

    // Of the last batch, steps of sequences one by one.
    [[nodiscard]] std::uint32_t rows() const { return rows_; }
    [[nodiscard]] std::uint32_t slot(std::uint32_t array, std::uint32_t row) const { return slots_of(array)[row]; }
    [[nodiscard]] std::uint32_t lane(std::uint32_t array, std::uint32_t row) const { return lanes_of(array)[row]; }
    [[nodiscard]] double value(std::size_t column, std::uint32_t row) const;

    // What is wrong with it, or nothing: rows that the buffer does not hold, numbers that are none.
    [[nodiscard]] std::string odd_batch() const;
    // Where the batch of another drive differs, or nothing.
    [[nodiscard]] std::string difference(const SamplerDrive& other) const;

private:
    SamplerDrive(const Workbench& bench, const SamplerShape& shape, Instance instance, Storage storage);

    Status make_arrays();
    [[nodiscard]] std::uint32_t* slots_of(std::uint32_t array) const;
    [[nodiscard]] std::uint32_t* lanes_of(std::uint32_t array) const;

    SamplerShape shape_;
    tn_key key_;
    tn_key episodes_;
    Instance instance_;
    Callee<tn_sampler_api> sampler_;
    Storage storage_;
    SamplerPlan plan_;
    std::vector<double> options_;
    std::vector<GuardedMemory> arrays_;   // slots and lanes of each array, by turns
    std::vector<GuardedMemory> columns_;  // of the sampler's own
    std::uint64_t steps_ = 0;
    std::uint32_t rows_ = 0;
};

}  // namespace tenon
