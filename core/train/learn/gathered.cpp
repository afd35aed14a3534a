// SPDX-License-Identifier: Apache-2.0
#include "train/learn/gathered.hpp"

#include <algorithm>
#include <utility>

#include "compute/exec/rows.hpp"

namespace tenon {
namespace {

// The prefix of a source that the key belongs to; empty for a minibatch's own columns.
std::string_view prefix_of(std::string_view key, std::span<const RowSource> sources) {
    const auto has = [&](const RowSource& source) { return !source.prefix.empty() && key.starts_with(source.prefix); };
    const auto found = std::ranges::find_if(sources, has);
    return found == sources.end() ? std::string_view() : std::string_view(found->prefix);
}

}  // namespace

Result<Gathered> Gathered::make(std::span<const Port> inputs, std::string_view reader, std::uint32_t rows,
                                std::span<const RowSource> sources) {
    Gathered out;
    out.ports_.resize(inputs.size());
    for (const RowSource& source : sources) {
        std::vector<std::string> keys;
        std::vector<std::size_t> ports;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (prefix_of(inputs[i].key, sources) == source.prefix) {
                keys.push_back(inputs[i].key.substr(source.prefix.size()));
                ports.push_back(i);
            }
        }
        Result<GatherPlan> plan = GatherPlan::make(*source.storage, *source.plan, keys, reader);
        if (!plan) {
            return std::move(plan).error();
        }
        for (std::size_t i = 0; i < ports.size(); ++i) {
            out.ports_[ports[i]] = plan->ports()[i];
            out.ports_[ports[i]].key = inputs[ports[i]].key;
        }
        out.parts_.push_back({std::move(*plan), source.first, source.count, std::move(ports), {}});
    }
    if (Status room = out.reserve(rows); !room) {
        return std::move(room).error();
    }
    return out;
}

Status Gathered::reserve(std::uint32_t rows) {
    if (rows <= rows_) {
        return {};
    }
    std::vector<Slab> memory;
    for (const Port& port : ports_) {
        Result<Slab> made = Slab::make(row_bytes(port) * rows);
        if (!made) {
            return std::move(made).error();
        }
        memory.push_back(std::move(*made));
    }
    rows_ = rows;
    memory_ = std::move(memory);
    columns_.clear();
    for (const Slab& slab : memory_) {
        columns_.push_back(slab.data());
    }
    for (Part& part : parts_) {
        part.columns.clear();
        for (const std::size_t port : part.ports) {
            part.columns.push_back(static_cast<std::byte*>(columns_[port]) + row_bytes(ports_[port]) * part.first);
        }
    }
    return {};
}

void Gathered::gather(const ChosenRows& rows) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        const std::size_t count = part.count == 0 ? row_count(rows.sizes) : part.count;
        part.plan.gather(rows.parts[i], 0, count, part.columns.data());
    }
}

}  // namespace tenon
