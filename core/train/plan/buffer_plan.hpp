// SPDX-License-Identifier: Apache-2.0
// The buffers of a run: which columns their rows have, where their frames come from, and which objectives learn from
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/manifest/manifest.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "experience/replay/storage_columns.hpp"
#include "train/plan/live.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

struct ObjectivePlan;
struct Wiring;

// One buffer of a run.
struct BufferPlan {
    const BufferTable* table = nullptr;
    const Part* part = nullptr;                     // null for a mixture
    std::vector<std::size_t> mixed;                 // of a mixture: its buffers, as BufferTable::mix
    SamplerPlan sampling;                           // of the sampler; of a mixture, that of its first buffer
    bool takes_priorities = false;                  // the sampler, or one of the mixture
    bool remembers = false;                         // the sampler keeps something about rows from call to call
    bool on_device = false;                         // the sampler chooses rows on run.device
    OptionNumbers options;                          // of the sampler
    std::vector<StorageColumn> stored;              // columns that are read; of a buffer that collects, all
    const std::vector<Part>* transforms = nullptr;  // of the rows of minibatches

    [[nodiscard]] bool collects() const { return table->collects; }
    // Whether rows are kept apart from the ring of the collected frames (experience/replay/keeper.hpp).
    [[nodiscard]] bool keeps() const { return table->collects && table->writer != "ring"; }
};

// The number of a minibatch's rows that come from each buffer of a mixture.
std::vector<std::uint32_t> rows_of_mixture(const BufferTable& mixture, std::int64_t rows);

// The buffers from which an objective's minibatches come; for a mixture, the buffers that it mixes.
std::vector<const BufferPlan*> minibatch_buffers(const Wiring& wiring, const ObjectivePlan& plan);

// The first buffer whose minibatches are prefetched; null if there is none.
const BufferPlan* prefetching_buffer(const Wiring& wiring, const ObjectivePlan& plan);

}  // namespace tenon
