// SPDX-License-Identifier: Apache-2.0
// How a sampler puts batches together: the host's checked copy of tn_sampler_info.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/dtype.hpp"
#include "error/result.hpp"
#include "tenon/abi/sampler.h"

namespace tenon {

struct GatherLine {
    std::uint32_t array = 0;
    std::string source;  // a reader's key, or "*"
    std::string target;
};

struct SamplerColumn {
    std::string key;
    DType dtype = DType::kF32;
};

struct SamplerPlan {
    std::string sampler;  // its name, for sentences
    std::uint32_t array_count = 1;
    std::vector<GatherLine> lines;
    std::vector<SamplerColumn> columns;  // made by the sampler itself
};

// Sentences begin with `sampler`, the component's name.
Result<SamplerPlan> read_plan(const tn_sampler_info& info, std::string_view sampler);

}  // namespace tenon
