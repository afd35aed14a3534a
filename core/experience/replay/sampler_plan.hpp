// SPDX-License-Identifier: Apache-2.0
// How a sampler assembles batches: the host's verified copy of tn_sampler_info.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/port.hpp"
#include "base/error/result.hpp"
#include "tenon/abi/sampler.h"

namespace tenon {

// The source that stands for all columns that are read and that no line names.
inline constexpr std::string_view kEveryColumn = "*";
inline constexpr std::string_view kEveryNext = "next.*";

struct GatherLine {
    std::uint32_t array = 0;
    std::string source;  // a reader's key, "*" or "next.*"
    std::string target;
    std::uint32_t count = 1;  // number of arrays, starting at `array`
    bool keeps_size = false;  // rows have a size for the arrays also if it is 1

    [[nodiscard]] bool names_column() const { return source != kEveryColumn && source != kEveryNext; }
    [[nodiscard]] bool has_size() const { return count > 1 || keeps_size; }
    // The shape of one column in such rows.
    [[nodiscard]] Shape row(const Shape& of_source) const {
        return has_size() ? join(Shape{count}, of_source) : of_source;
    }
};

// A stored column that the sampler reads in order to choose rows.
struct ColumnRead {
    std::string key;
    std::uint32_t elements = 0;  // of a row; 0: any number
};

struct SamplerPlan {
    std::string sampler;  // its name, for messages
    std::uint32_t array_count = 1;
    std::uint32_t time = 0;  // steps per sequence; 0: batches consist of rows
    std::vector<GatherLine> lines;
    std::vector<Port> columns;  // computed by the sampler itself
    std::vector<ColumnRead> reads = {};

    // The line that provides the column with this key, if there is one.
    [[nodiscard]] const GatherLine* line_for(std::string_view key) const;
};

// Messages begin with `sampler`, the component's name.
Result<SamplerPlan> read_plan(const tn_sampler_info& info, std::string_view sampler);

// The bytes of a row of each column that the sampler computes; 0 for a type that no column can have.
std::vector<std::uint32_t> column_sizes(const tn_sampler_info& info);

// Whether batches of both plans have the same columns, of the same steps.
bool alike(const SamplerPlan& a, const SamplerPlan& b);

}  // namespace tenon
