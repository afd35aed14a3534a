// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/gather.hpp"

#include <algorithm>
#include <cstring>
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

    static Copy copy_for(Reading reading) {
        switch (reading) {
            case Reading::kNext:
                return next;
            case Reading::kDone:
                return done;
            case Reading::kAtSlot:
                break;
        }
        return at_slot;
    }
};

GatherPlan::Op GatherPlan::make_op(const Storage& storage, const ReaderColumn& column, std::uint32_t array) {
    Op op;
    op.array = array;
    op.slots = storage.slots();
    op.lanes = storage.lanes();
    op.terminated = storage.terminated();
    op.truncated = storage.truncated();
    op.row_bytes = row_bytes(column.port);
    if (column.column != nullptr) {
        op.rows = static_cast<const std::byte*>(column.column->view.data);
        op.final = static_cast<const std::byte*>(column.column->final.data);
    }
    switch (op.row_bytes) {
        case 1:
            op.copy = Rows<1>::copy_for(column.reading);
            break;
        case 4:
            op.copy = Rows<4>::copy_for(column.reading);
            break;
        case 8:
            op.copy = Rows<8>::copy_for(column.reading);
            break;
        case 12:
            op.copy = Rows<12>::copy_for(column.reading);
            break;
        case 16:
            op.copy = Rows<16>::copy_for(column.reading);
            break;
        case 24:
            op.copy = Rows<24>::copy_for(column.reading);
            break;
        case 32:
            op.copy = Rows<32>::copy_for(column.reading);
            break;
        case 64:
            op.copy = Rows<64>::copy_for(column.reading);
            break;
        default:
            op.copy = Rows<0>::copy_for(column.reading);
            break;
    }
    return op;
}

Result<GatherPlan> GatherPlan::make(const Storage& storage, const SamplerPlan& sampler,
                                    std::span<const std::string> keys, std::string_view reader) {
    // Checks every line, even unused ones: a sampler that names a missing column is wired incorrectly.
    for (const GatherLine& line : sampler.lines) {
        if (line.names_column()) {
            if (Result<ReaderColumn> column = resolve(storage, line.source, sampler.sampler); !column) {
                return std::move(column.error());
            }
        }
    }
    GatherPlan out;
    for (const std::string& key : keys) {
        const auto same = [&](const auto& thing) { return thing.key == key; };
        if (std::any_of(out.ports_.begin(), out.ports_.end(), same)) {
            continue;
        }
        if (const auto own = std::find_if(sampler.columns.begin(), sampler.columns.end(), same);
            own != sampler.columns.end()) {
            out.ports_.push_back({.key = key, .dtype = own->dtype, .row = {}});
            Op op;
            op.array = static_cast<std::uint32_t>(own - sampler.columns.begin());
            op.row_bytes = size_of(own->dtype);
            out.ops_.push_back(op);
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
        Result<ReaderColumn> column =
            line->names_column() ? resolve(storage, line->source, sampler.sampler) : resolve(storage, key, reader);
        if (!column) {
            return std::move(column.error());
        }
        out.ops_.push_back(make_op(storage, *column, line->array));
        out.ops_.back().count = line->count;
        out.ports_.push_back({.key = key, .dtype = column->port.dtype, .row = line->row(column->port.row)});
    }
    return out;
}

void GatherPlan::gather(const SampledRows& sampled, std::size_t first, std::size_t count,
                        void* const* destinations) const {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
        const Op& op = ops_[i];
        const std::size_t stride = op.row_bytes * op.count;
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
}

}  // namespace tenon
