// SPDX-License-Identifier: Apache-2.0
#include "experience/dataset/stored_dataset.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

namespace tenon {
namespace {

void write_flags(Storage& storage, const DatasetEpisode& episode, std::uint32_t first) {
    const std::uint32_t last = first + static_cast<std::uint32_t>(episode.length) - 1;
    const auto flag = [&](const char* key, std::uint32_t slot) {
        return static_cast<std::uint8_t*>(row_at(storage.find(key)->view, slot, 0));
    };
    *flag("is_init", first) = 1;
    *flag("terminated", last) = episode.terminated ? 1 : 0;
    *flag("truncated", last) = episode.truncated || !episode.terminated ? 1 : 0;
}

// An observation has one row more than an episode has transitions: the last row is in the slot of the next episode's
// first row, which overwrites it.
Status read_rows(const Dataset& dataset, const DatasetEpisode& episode, std::uint64_t number, std::uint32_t column,
                 const StorageColumn& into, std::uint32_t first) {
    Status done = dataset.read(number, column, row_at(into.view, first, 0));
    if (done && into.final.data != nullptr) {
        const auto end = first + static_cast<std::uint32_t>(episode.length);
        std::memcpy(row_at(into.final, end - 1, 0), row_at(into.view, end, 0), row_bytes(into));
    }
    return done;
}

template <class From, class To>
void convert(const void* from, void* to, std::size_t count) {
    std::transform(static_cast<const From*>(from), static_cast<const From*>(from) + count, static_cast<To*>(to),
                   [](From value) { return static_cast<To>(value); });
}

void convert_rows(const View& from, const View& to) {
    const auto count = static_cast<std::size_t>(from.shape.elements());
    if (from.dtype == to.dtype) {
        std::memcpy(to.data, from.data, from.bytes());
        return;
    }
    with_element(from.dtype, [&](auto a) {
        with_element(to.dtype, [&](auto b) { convert<decltype(a), decltype(b)>(from.data, to.data, count); });
    });
}

// The rows of one column of an episode, dense.
std::vector<std::byte> rows_of(const Storage& storage, const StorageColumn& column, const StoredEpisode& episode) {
    const std::size_t size = row_bytes(column);
    const bool is_observation = column.role == Role::kObservation;
    std::vector<std::byte> out((episode.length + (is_observation ? 1U : 0U)) * size);
    std::byte* at = out.data();
    std::uint32_t last = episode.first;
    each_slot(storage, episode, [&](std::uint32_t slot) {
        std::memcpy(at, row_at(column.view, slot, episode.lane), size);
        at += size;
        last = slot;
    });
    if (is_observation) {
        std::memcpy(at,
                    episode.ends() ? row_at(column.final, last, episode.lane)
                                   : row_at(column.view, storage.slot_after(last), episode.lane),
                    size);
    }
    return out;
}

}  // namespace

Result<Storage> stored(const Dataset& dataset, const DatasetContent& content) {
    const std::uint64_t frames = content.frames();
    if (frames >= std::numeric_limits<std::uint32_t>::max() - 1U) {
        return input_problem("the dataset has " + std::to_string(frames) +
                             " frames, which is more than a buffer holds");
    }
    Storage out = TENON_TRY(Storage::make(storage_columns(content.columns), static_cast<std::uint32_t>(frames) + 1, 1));
    std::uint32_t first = 0;
    for (std::uint64_t number = 0; number < content.episodes.size(); ++number) {
        const DatasetEpisode& episode = content.episodes[number];
        for (std::uint32_t i = 0; i < content.columns.specs.size(); ++i) {
            const StorageColumn& into = *out.find(content.columns.specs[i].key);
            TENON_TRY(read_rows(dataset, episode, number, i, into, first));
        }
        write_flags(out, episode, first);
        first += static_cast<std::uint32_t>(episode.length);
    }
    *static_cast<std::uint8_t*>(row_at(out.find("is_init")->view, first, 0)) = 1;
    const Ring::Position end{.head = first, .count = {first}, .parked = {0}, .appended = frames};
    if (!out.stand_at(end)) {
        return input_problem("the dataset has too few frames");
    }
    return out;
}

Composite dataset_columns(const Storage& storage, const Composite& specs) {
    Composite out;
    for (const StorageColumn& column : storage.columns()) {
        if (column.role != Role::kObservation && column.role != Role::kAction && column.role != Role::kReward) {
            continue;
        }
        const Spec* const known = specs.find(column.key);
        Spec spec = known != nullptr ? *known : Spec{};
        spec.key = column.key;
        spec.role = column.role;
        spec.dtype = column.dtype;
        spec.shape = column.row;
        out.specs.push_back(std::move(spec));
    }
    return out;
}

Status append_episodes(const Dataset& dataset, const Composite& columns, const Storage& storage,
                       std::span<const StoredEpisode> episodes, std::span<const std::uint64_t> seeds) {
    std::vector<bool> seen(storage.lanes(), false);
    for (const StoredEpisode& episode : episodes) {
        std::vector<std::vector<std::byte>> rows;
        std::vector<const void*> pointers;
        for (const Spec& spec : columns.specs) {
            pointers.push_back(rows.emplace_back(rows_of(storage, *storage.find(spec.key), episode)).data());
        }
        const bool first = episode.begins && !seen[episode.lane] && episode.lane < seeds.size();
        seen[episode.lane] = true;
        const DatasetEpisode told{.length = episode.length,
                                  .terminated = episode.terminated,
                                  .truncated = episode.truncated || !episode.ends(),
                                  .seed = first ? std::optional(seeds[episode.lane]) : std::nullopt};
        TENON_TRY(dataset.append(told, pointers.data()));
    }
    return {};
}

Result<Storage> with_dtypes(const Storage& storage, std::span<const DType> dtypes) {
    std::vector<StorageColumn> columns;
    for (std::size_t i = 0; i < storage.columns().size(); ++i) {
        StorageColumn column = storage.columns()[i];
        column.dtype = dtypes[i];
        if (!is_flag_column(column.key)) {
            columns.push_back(std::move(column));
        }
    }
    Storage out = TENON_TRY(Storage::make(std::move(columns), storage.slots(), storage.lanes()));
    for (const StorageColumn& from : storage.columns()) {
        const StorageColumn& to = *out.find(from.key);
        convert_rows(from.view, to.view);
        if (from.final.data != nullptr) {
            convert_rows(from.final, to.final);
        }
    }
    if (!out.stand_at(storage.ring().position())) {
        return input_problem("the frames have no position");
    }
    return out;
}

}  // namespace tenon
