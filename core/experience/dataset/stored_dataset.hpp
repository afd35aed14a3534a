// SPDX-License-Identifier: Apache-2.0
// A dataset as a storage, and the reverse.
#pragma once

#include <span>

#include "experience/dataset/dataset.hpp"
#include "experience/dataset/episodes.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// All episodes of an opened dataset in a storage of one lane, concatenated.
Result<Storage> stored(const Dataset& dataset, const DatasetContent& content);

// The observations, actions and rewards of a storage as a dataset's columns. A column without a spec is unbounded.
Composite dataset_columns(const Storage& storage, const Composite& specs);

// Appends the episodes, or pieces of them, to a dataset that has begun with these columns. `seeds`: of the first
// episode of each lane, if the data contains its begin; empty: unknown.
Status append_episodes(const Dataset& dataset, const Composite& columns, const Storage& storage,
                       std::span<const StoredEpisode> episodes, std::span<const std::uint64_t> seeds = {});

// The same frames with the columns' elements in other types; `dtypes` has one for each column.
Result<Storage> with_dtypes(const Storage& storage, std::span<const DType> dtypes);

}  // namespace tenon
