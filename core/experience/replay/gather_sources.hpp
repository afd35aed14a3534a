// SPDX-License-Identifier: Apache-2.0
// Where the columns of a sampler's batches come from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experience/replay/reader.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

struct GatherSource {
    Port port;                // of the batch
    ReaderColumn column;      // whose port is one step's; not of a sampler's own column
    std::uint32_t array = 0;  // the first index array, or the index of the sampler's column
    std::uint32_t count = 1;  // number of index arrays
    bool is_own = false;      // the sampler computes it
};

// Returns a source for each distinct key, in their order. `reader`: as in resolve. Lines and columns of the sampler
// that nothing reads are omitted.
Result<std::vector<GatherSource>> gather_sources(const Storage& storage, const SamplerPlan& sampler,
                                                 std::span<const std::string> keys, std::string_view reader);

}  // namespace tenon
