// SPDX-License-Identifier: Apache-2.0
// Gives a sampler the columns of the buffer that it reads to choose rows (abi/sampler_reads.h).
#pragma once

#include <vector>

#include "experience/replay/callee.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/sampler_reads.h"

namespace tenon {

class SamplerReads {
public:
    // Reads nothing if the component does not offer the interface.
    static Result<SamplerReads> make(Callee<tn_sampler_reads_api> sampler);
    static Result<SamplerReads> make(const Instance& instance) {
        return make(Callee<tn_sampler_reads_api>::of(instance, "tenon.sampler_reads/1"));
    }

    [[nodiscard]] const std::vector<ColumnRead>& columns() const { return columns_; }

    // Call it before each call of sample.
    Status look(const Storage& storage);

private:
    Callee<tn_sampler_reads_api> callee_;
    std::vector<ColumnRead> columns_;
    std::vector<tn_column> shown_;
    std::vector<const tn_column*> pointers_;
};

// Why a sampler cannot read a column with rows of that shape; empty if it can.
std::string fault_of_read(const ColumnRead& read, const Shape& row);

}  // namespace tenon
