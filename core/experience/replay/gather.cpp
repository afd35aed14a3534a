// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/gather.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace tenon {

// A row size known at compile time turns a copy into a load and a store; 0 stands for any size.
template <std::size_t kBytes>
struct GatherPlan::Rows {
    static void put(std::byte* to, const std::byte* from, std::size_t bytes) {
        std::memcpy(to, from, kBytes == 0 ? bytes : kBytes);
    }

    static void at_slot(const Op& op, const std::uint32_t* slots, const std::uint32_t* lanes, std::size_t rows,
                        std::byte* out, std::size_t stride) {
        const std::size_t bytes = kBytes == 0 ? op.row_bytes : kBytes;
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t at = std::size_t{slots[i]} * op.lanes + lanes[i];
            put(out + i * stride, op.rows + at * bytes, bytes);
        }
    }

    static void next(const Op& op, const std::uint32_t* slots, const std::uint32_t* lanes, std::size_t rows,
                     std::byte* out, std::size_t stride) {
        const std::size_t bytes = kBytes == 0 ? op.row_bytes : kBytes;
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t at = std::size_t{slots[i]} * op.lanes + lanes[i];
            const std::size_t after = (slots[i] + 1 == op.slots ? 0 : std::size_t{slots[i]} + 1) * op.lanes + lanes[i];
            const bool done = (op.terminated[at] | op.truncated[at]) != 0;
            put(out + i * stride, done ? op.final + at * bytes : op.rows + after * bytes, bytes);
        }
    }

    static void done(const Op& op, const std::uint32_t* slots, const std::uint32_t* lanes, std::size_t rows,
                     std::byte* out, std::size_t stride) {
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t at = std::size_t{slots[i]} * op.lanes + lanes[i];
            out[i * stride] = static_cast<std::byte>(op.terminated[at] | op.truncated[at]);
        }
    }
};

// Copies rows of one lane from any slots.
template <std::size_t kBytes>
struct GatherPlan::ArrangedRows {
    static std::size_t slot_of(const Op& op, std::uint32_t shown) {
        return op.order == nullptr ? shown : op.order[shown];
    }

    static void at_slot(const Op& op, const std::uint32_t* slots, const std::uint32_t* /*lanes*/, std::size_t rows,
                        std::byte* out, std::size_t stride) {
        const std::size_t bytes = kBytes == 0 ? op.row_bytes : kBytes;
        for (std::size_t i = 0; i < rows; ++i) {
            std::memcpy(out + i * stride, op.rows + slot_of(op, slots[i]) * bytes, bytes);
        }
    }

    static void next(const Op& op, const std::uint32_t* slots, const std::uint32_t* /*lanes*/, std::size_t rows,
                     std::byte* out, std::size_t stride) {
        const std::size_t bytes = kBytes == 0 ? op.row_bytes : kBytes;
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t at = slot_of(op, slots[i]);
            const bool last = op.terminated == nullptr || (op.terminated[at] | op.truncated[at]) != 0;
            const std::byte* const from = last ? op.final + at * bytes : op.rows + slot_of(op, slots[i] + 1) * bytes;
            std::memcpy(out + i * stride, from, bytes);
        }
    }

    static void done(const Op& op, const std::uint32_t* slots, const std::uint32_t* /*lanes*/, std::size_t rows,
                     std::byte* out, std::size_t stride) {
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t at = slot_of(op, slots[i]);
            out[i * stride] = static_cast<std::byte>(op.terminated[at] | op.truncated[at]);
        }
    }
};

template <template <std::size_t> class Copies>
GatherPlan::Copy GatherPlan::copy_for(std::size_t bytes, Reading reading) {
    const auto of = [&]<std::size_t kBytes>() -> Copy {
        switch (reading) {
            case Reading::kNext:
                return Copies<kBytes>::next;
            case Reading::kDone:
                return Copies<kBytes>::done;
            case Reading::kAtSlot:
            case Reading::kEarlier:
                break;
        }
        return Copies<kBytes>::at_slot;
    };
    Copy out = of.template operator()<0>();
    const auto choose = [&]<std::size_t... kSizes>(std::index_sequence<kSizes...> /*sizes*/) {
        ((out = bytes == kSizes ? of.template operator()<kSizes>() : out), ...);
    };
    choose(std::index_sequence<1, 4, 8, 12, 16, 24, 32, 64>());
    return out;
}

GatherPlan::Op GatherPlan::make_op(const Storage& storage, const ReaderColumn& column, std::uint32_t array) {
    Op op;
    op.array = array;
    op.slots = storage.slots();
    op.lanes = storage.lanes();
    op.terminated = storage.flags().terminated;
    op.truncated = storage.flags().truncated;
    op.row_bytes = row_bytes(column.port);
    if (column.reading == Reading::kEarlier) {
        op.earlier = column.column->earlier;
        op.before = column.column->before;
        op.row_bytes = row_bytes(*column.column);
    }
    if (column.column != nullptr) {
        op.rows = static_cast<const std::byte*>(column.column->view.data);
        op.final = static_cast<const std::byte*>(column.column->final.data);
    }
    const Arrangement* const arranged = storage.arrangement();
    if (arranged == nullptr) {
        op.copy = copy_for<Rows>(op.row_bytes, column.reading);
        return op;
    }
    op.order = arranged->order;
    if (arranged->alone && column.reading == Reading::kNext) {
        op.terminated = nullptr;  // always the final values
    }
    op.copy = copy_for<ArrangedRows>(op.row_bytes, column.reading);
    return op;
}

Result<GatherPlan> GatherPlan::make(const Storage& storage, const SamplerPlan& sampler,
                                    std::span<const std::string> keys, std::string_view reader) {
    std::vector<GatherSource> sources = TENON_TRY(gather_sources(storage, sampler, keys, reader));
    GatherPlan out;
    for (const GatherSource& source : sources) {
        out.ports_.push_back(source.port);
        if (source.is_own) {
            Op op;
            op.array = source.array;
            op.row_bytes = row_bytes(source.port);
            out.ops_.push_back(op);
            continue;
        }
        out.ops_.push_back(make_op(storage, source.column, source.array));
        out.ops_.back().count = source.count;
        if (source.column.column != nullptr && storage.backing().packs(*source.column.column)) {
            TENON_TRY(out.add_packed(storage, source.column));
        }
    }
    return out;
}

Status GatherPlan::add_packed(const Storage& storage, const ReaderColumn& column) {
    if (packed_ == nullptr) {
        std::unique_ptr<RowReader> rows = TENON_TRY(storage.backing().make_reader(storage));
        packed_ = std::make_unique<PackedPorts>(PackedPorts{.storage = &storage, .reader = std::move(rows)});
    }
    packed_->ports.push_back(
        {.port = ops_.size() - 1, .column = column.column, .next = column.reading == Reading::kNext});
    ops_.back().packed = true;
    return {};
}

// Gathers the rows of a block together, so that what they share is read once.
void GatherPlan::gather_packed(const SampledRows& sampled, std::size_t first, std::size_t count,
                               void* const* destinations) const {
    PackedPorts& packed = *packed_;
    const Storage& storage = *packed.storage;
    const std::uint32_t block_slots = packed.reader->block_slots();
    const std::uint64_t appended = storage.view().appended;
    // the head; its slot is computed here, because another thread may move it
    const auto newest = static_cast<std::uint32_t>(appended % storage.slots());
    const auto block_of = [&](std::uint32_t row) {
        return std::size_t{sampled.slots[0][first + row] / block_slots} * storage.lanes() +
               sampled.lanes[0][first + row];
    };
    packed.order.resize(count);
    std::iota(packed.order.begin(), packed.order.end(), 0U);
    std::ranges::sort(packed.order, {}, [&](std::uint32_t row) { return std::pair(block_of(row), row); });
    for (const std::uint32_t row : packed.order) {
        for (const PackedPort& port : packed.ports) {
            const Op& op = ops_[port.port];
            for (std::uint32_t k = 0; k < op.count; ++k) {
                const std::uint32_t slot = sampled.slots[op.array + k][first + row];
                const std::uint32_t lane = sampled.lanes[op.array + k][first + row];
                const std::uint32_t age = newest >= slot ? newest - slot : newest + op.slots - slot;
                std::byte* const out =
                    static_cast<std::byte*>(destinations[port.port]) + ((first + row) * op.count + k) * op.row_bytes;
                const RowReader::Row from = packed.reader->find(*port.column, appended - age, lane, port.next);
                if (from.in_column) {
                    op.copy(op, &slot, &lane, 1, out, op.row_bytes);
                } else if (from.bytes != nullptr) {
                    std::memcpy(out, from.bytes, op.row_bytes);
                } else {
                    packed.intact = false;
                }
            }
        }
    }
}

void GatherPlan::gather(const SampledRows& sampled, std::size_t first, std::size_t count,
                        void* const* destinations) const {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
        const Op& op = ops_[i];
        const std::size_t stride = op.row_bytes * op.count;
        if (op.packed || op.earlier > 0) {
            continue;
        }
        std::byte* const out = static_cast<std::byte*>(destinations[i]) + first * stride;
        if (op.copy == nullptr) {
            const auto* const own = static_cast<const std::byte*>(sampled.columns[op.array]);
            std::memcpy(out, own + first * op.row_bytes, count * op.row_bytes);
            continue;
        }
        for (std::uint32_t k = 0; k < op.count; ++k) {
            const std::uint32_t array = op.array + k;
            op.copy(op, sampled.slots[array] + first, sampled.lanes[array] + first, count, out + k * op.row_bytes,
                    stride);
        }
    }
    if (packed_ != nullptr) {
        gather_packed(sampled, first, count, destinations);
    }
}

void GatherPlan::gather_earlier(const SampledRows& sampled, std::size_t sequences, void* const* destinations) const {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
        const Op& op = ops_[i];
        auto* out = static_cast<std::byte*>(destinations[i]);
        for (std::size_t k = 0; op.earlier > 0 && k < sequences; ++k) {
            const std::size_t first = sampled.slots[op.array][k];
            const std::size_t lane = sampled.lanes[op.array][k];
            for (std::size_t back = op.earlier; back > 0; --back, out += op.row_bytes) {
                const bool in_block = back > first && op.before != nullptr;
                const std::size_t slot = back > first ? first + op.slots - back : first - back;
                const std::byte* const from = in_block
                                                  ? op.before + ((lane + 1) * op.earlier + first - back) * op.row_bytes
                                                  : op.rows + (slot * op.lanes + lane) * op.row_bytes;
                std::memcpy(out, from, op.row_bytes);
            }
        }
    }
}

Result<std::vector<GatherSource>> gather_sources(const Storage& storage, const SamplerPlan& sampler,
                                                 std::span<const std::string> keys, std::string_view reader) {
    // Checks every line, even unused ones: a sampler that names a missing column is wired incorrectly.
    for (const GatherLine& line : sampler.lines) {
        if (line.names_column()) {
            TENON_TRY(resolve(storage, line.source, sampler.sampler));
        }
    }
    std::vector<GatherSource> out;
    for (const std::string& key : keys) {
        if (std::ranges::any_of(out, [&](const GatherSource& source) { return source.port.key == key; })) {
            continue;
        }
        if (const auto own = std::ranges::find(sampler.columns, key, &Port::key); own != sampler.columns.end()) {
            out.push_back({.port = *own,
                           .column = {},
                           .array = static_cast<std::uint32_t>(own - sampler.columns.begin()),
                           .is_own = true});
            continue;
        }
        const GatherLine* const line = sampler.line_for(key);
        if (line == nullptr) {
            std::vector<std::string_view> provided;
            for (const GatherLine& each : sampler.lines) {
                provided.emplace_back(each.target);
            }
            for (const Port& each : sampler.columns) {
                provided.emplace_back(each.key);
            }
            return input_problem(std::string(reader) + " reads '" + key + "', which the batches of " + sampler.sampler +
                                 " do not have" + did_you_mean(key, provided));
        }
        ReaderColumn column = TENON_TRY(line->names_column() ? resolve(storage, line->source, sampler.sampler)
                                                             : resolve(storage, key, reader));
        Port port{.key = key, .dtype = column.port.dtype, .row = line->row(column.port.row)};
        out.push_back(
            {.port = std::move(port), .column = std::move(column), .array = line->array, .count = line->count});
    }
    return out;
}

}  // namespace tenon
