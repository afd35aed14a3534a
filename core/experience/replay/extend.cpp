// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/extend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>

#include "base/data/batch_shape.hpp"
#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "experience/replay/reader.hpp"

namespace tenon {
namespace {

constexpr std::array<std::string_view, 2> kEndFlags = {"terminated", "truncated"};
constexpr std::array<std::string_view, 2> kDerived = {kNextDone, "is_init"};

bool is_derived(std::string_view key) {
    return std::ranges::find(kDerived, key) != kDerived.end();
}

// Where one column's steps come from: [time, lane, row...].
struct StepSource {
    const StorageColumn* column = nullptr;
    View now;
    View next;  // of an observation: what the step led to
};

// The steps as [time, lane].
Result<Batch> by_time(const Batch& steps, std::uint32_t lanes) {
    const Shape& leading = steps.leading();
    if (leading.rank == 1 && lanes == 1) {
        return unsqueeze(steps, 1);
    }
    if (leading.rank == 2 && leading[0] == lanes) {
        return transpose(steps, 0, 1);
    }
    return input_problem("steps for " + counted(lanes, "lane") + " must be [" + std::to_string(lanes) + ", time]" +
                         (lanes == 1 ? " or [time]" : "") + ", but they are " + to_string(leading));
}

Result<View> step_view(const Batch& steps, const std::string& key, const StorageColumn& column) {
    const View* const view = steps.find(key);
    if (view == nullptr) {
        return input_problem("the steps have no column '" + key + "', which the buffer stores");
    }
    const Shape row = tail(view->shape, 2);
    const bool flag = is_flag_column(column.key) && size_of(view->dtype) == 1;
    if ((view->dtype != column.dtype && !flag) || row != column.row) {
        return input_problem("'" + key + "' is " + std::string(name_of(view->dtype)) + " " + to_string(row) +
                             " in the steps, but " + std::string(name_of(column.dtype)) + " " + to_string(column.row) +
                             " in the buffer");
    }
    View out = *view;
    out.dtype = column.dtype;
    return out;
}

Result<std::vector<StepSource>> sources_of(const Storage& storage, const Batch& steps) {
    std::vector<StepSource> out;
    std::size_t expected = 0;
    for (const StorageColumn& column : storage.columns()) {
        if (column.key == "is_init") {
            continue;
        }
        const bool outcome = is_outcome(column.role) || is_flag_column(column.key);
        const Result<View> now = step_view(steps, outcome ? next_key(column.key) : column.key, column);
        const bool observes = column.final.data != nullptr;
        const View next = TENON_TRY(now && observes ? step_view(steps, next_key(column.key), column) : now);
        out.push_back({.column = &column, .now = *now, .next = observes ? next : View{}});
        expected += observes ? 2 : 1;
    }
    const auto known = [&](const BatchColumn& column) { return !is_derived(column.key); };
    if (static_cast<std::size_t>(std::ranges::count_if(steps.columns(), known)) != expected) {
        const std::vector<std::string> keys = reader_keys(storage);
        for (const BatchColumn& column : steps.columns()) {
            if (known(column) && std::ranges::find(keys, column.key) == keys.end()) {
                return input_problem("the steps have a column '" + column.key + "', which the buffer does not store" +
                                     did_you_mean(column.key, std::vector<std::string_view>(keys.begin(), keys.end())));
            }
        }
    }
    return out;
}

// All lanes of one slot.
View slot_view(const View& ring, std::uint32_t slot) {
    return ring.index(0, slot);
}

// Sets the lanes in which the observations at the head's step do not continue what is stored. If their latest episode
// has ended, this changes nothing: the next one begins there anyway.
void find_breaks(const Storage& storage, const StepSource& source, std::int64_t time, std::span<std::byte> row,
                 std::span<std::uint8_t> breaks) {
    const std::uint32_t head = storage.head();
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        if (breaks[lane] != 0) {
            continue;
        }
        const View from = source.now.index(0, time).index(0, lane);
        copy(from, dense(row.data(), from.dtype, from.shape));
        breaks[lane] =
            std::memcmp(row.data(), row_at(source.column->view, head, lane), row_bytes(*source.column)) == 0 ? 0 : 1;
    }
}

}  // namespace

Result<std::vector<StorageColumn>> columns_for(const Batch& steps) {
    const std::uint32_t leading = steps.leading().rank;
    for (const std::string_view flag : kEndFlags) {
        const std::string key = next_key(flag);
        const View* const view = steps.find(key);
        if (view == nullptr || size_of(view->dtype) != 1 || view->shape != steps.leading()) {
            return input_problem("the steps need a column '" + key + "', bool, which says how episodes end");
        }
    }
    std::vector<StorageColumn> out;
    for (const BatchColumn& column : steps.columns()) {
        const std::string key(without_next(column.key));
        const bool next = column.key != key;
        if (is_derived(column.key) || (next && is_flag_column(key)) || (next && steps.find(key) != nullptr)) {
            continue;
        }
        if (is_reserved(key)) {
            return input_problem("'" + column.key + "' cannot be stored: this key is reserved for the host");
        }
        const Role role = next                                   ? Role::kReward
                          : steps.find(next_key(key)) != nullptr ? Role::kObservation
                          : within(key, "action")                ? Role::kAction
                                                                 : Role::kExtra;
        out.push_back({.key = key,
                       .role = role,
                       .dtype = column.view.dtype,
                       .row = tail(column.view.shape, leading),
                       .view = {},
                       .final = {}});
    }
    return out;
}

Status extend(Storage& storage, const Batch& given) {
    const std::uint32_t lanes = storage.lanes();
    const Batch steps = TENON_TRY(by_time(given, lanes));
    const std::vector<StepSource> sources = TENON_TRY(sources_of(storage, steps));
    const View* const begins = steps.find("is_init");
    if (begins != nullptr && (size_of(begins->dtype) != 1 || begins->shape != steps.leading())) {
        return input_problem("'is_init' must have one bool for each step, but it is " +
                             std::string(name_of(begins->dtype)) + " " + to_string(tail(begins->shape, 2)) + " a step");
    }
    std::size_t largest = 0;
    for (const StepSource& source : sources) {
        largest = std::max(largest, row_bytes(*source.column));
    }
    std::vector<std::byte> row(largest);
    std::vector<std::uint8_t> breaks(lanes);
    for (std::int64_t time = 0; time < steps.leading()[0]; ++time) {
        const std::uint32_t slot = storage.head();
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const bool first = storage.view().count[lane] == 0;
            breaks[lane] =
                first || (begins != nullptr && *begins->index(0, time).index(0, lane).as<std::uint8_t>() != 0) ? 1 : 0;
        }
        for (const StepSource& source : sources) {
            if (source.next.data != nullptr) {
                find_breaks(storage, source, time, row, breaks);
            }
        }
        storage.begin_episodes(breaks.data());
        for (const StepSource& source : sources) {
            copy(source.now.index(0, time), slot_view(source.column->view, slot));
        }
        const std::uint32_t after = storage.slot_after(slot);
        for (const StepSource& source : sources) {
            for (std::uint32_t lane = 0; lane < lanes && source.next.data != nullptr; ++lane) {
                const bool done = storage.flags().ended(slot, lane);
                copy(source.next.index(0, time).index(0, lane),
                     slot_view(done ? source.column->final : source.column->view, done ? slot : after).index(0, lane));
            }
        }
        storage.advance();
    }
    return {};
}

void start_with(Storage& storage, const Storage& other) {
    storage.clear();
    const std::uint32_t live = other.ring().live_slots();
    for (std::uint32_t slot = 0; slot < live; ++slot) {
        const std::uint32_t from = other.slot_back(live - 1 - slot);
        for (const StorageColumn& column : storage.columns()) {
            const StorageColumn* const source = other.find(column.key);
            if (source == nullptr) {
                continue;
            }
            const std::size_t size = row_bytes(column) * storage.lanes();
            std::memcpy(row_at(column.view, slot, 0), row_at(source->view, from, 0), size);
            if (column.final.data != nullptr) {
                std::memcpy(row_at(column.final, slot, 0), row_at(source->final, from, 0), size);
            }
        }
    }
    Ring::Position position = other.ring().position();
    position.head = live - 1;
    position.parked.assign(storage.lanes(), 0);
    position.appended = live - 1;
    storage.stand_at(position);
}

}  // namespace tenon
