// SPDX-License-Identifier: Apache-2.0
#include "train/learn/gathered.hpp"

#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "compute/exec/rows.hpp"

namespace tenon {
namespace {

// The prefix of a source that the key belongs to; empty for a minibatch's own columns.
std::string_view prefix_of(std::string_view key, std::span<const RowSource> sources) {
    const auto has = [&](const RowSource& source) { return !source.prefix.empty() && key.starts_with(source.prefix); };
    const auto found = std::ranges::find_if(sources, has);
    return found == sources.end() ? std::string_view() : std::string_view(found->prefix);
}

std::span<RowTransform> transforms_of(const RowSource& source) {
    return source.transforms == nullptr ? std::span<RowTransform>() : std::span(*source.transforms);
}

GoalJudge* goals_of(const RowSource& source) {
    return source.goals == nullptr || !*source.goals ? nullptr : &**source.goals;
}

// The columns that the source's goals need in addition to those that are read.
void add_needed(const RowSource& source, std::vector<std::string>& keys) {
    const GoalJudge* const goals = goals_of(source);
    if (goals == nullptr) {
        return;
    }
    for (const GoalJudge::Column& column : goals->columns()) {
        if (column.needed && std::ranges::find(keys, column.key) == keys.end()) {
            keys.push_back(column.key);
        }
    }
}

// The memory of the columns of the goals; null for columns that are not gathered.
std::vector<std::byte*> memory_of_goals(const GoalJudge& goals, std::span<const std::string> keys,
                                        std::span<void* const> columns) {
    std::vector<std::byte*> out;
    for (const GoalJudge::Column& column : goals.columns()) {
        const auto found = std::ranges::find(keys, column.key);
        out.push_back(found == keys.end()
                          ? nullptr
                          : static_cast<std::byte*>(columns[static_cast<std::size_t>(found - keys.begin())]));
    }
    return out;
}

// The pair that the column belongs to. Its key may have "next." after the prefix of a source.
template <class Pairs>
auto find_pair(Pairs& pairs, std::string_view key) {
    return std::ranges::find_if(pairs, [&](const auto& pair) { return pair.key == key || pair.next == key; });
}

}  // namespace

Result<Gathered> Gathered::make(std::span<const Port> inputs, std::string_view reader, std::uint32_t rows,
                                std::span<const RowSource> sources) {
    Gathered out;
    out.rows_ = rows;
    out.ports_.resize(inputs.size());
    out.columns_.resize(inputs.size());
    out.memory_.resize(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        out.ports_[i].key = inputs[i].key;
    }
    if (sources.front().ring != nullptr) {
        TENON_TRY(out.make_on_device(sources.front(), reader, rows));
        return out;
    }
    for (const RowSource& source : sources) {
        TENON_TRY(out.add_pairs(source, rows));
    }
    for (const RowSource& source : sources) {
        std::vector<std::string> keys;
        std::vector<std::size_t> ports;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (prefix_of(inputs[i].key, sources) == source.prefix) {
                keys.push_back(inputs[i].key.substr(source.prefix.size()));
                ports.push_back(i);
            }
        }
        add_needed(source, keys);
        GatherPlan plan = TENON_TRY(GatherPlan::make(*source.storage, *source.plan, keys, reader));
        std::vector<void*> columns;
        for (std::size_t i = 0; i < ports.size(); ++i) {
            const Port& port = plan.ports()[i];
            std::byte* const memory = TENON_TRY(out.memory_of(ports[i], port, rows));
            columns.push_back(memory + row_bytes(port) * source.first);
        }
        TENON_TRY(out.add_unread(source, plan, rows, columns));
        out.parts_.push_back(
            {std::move(plan), source.count, std::move(ports), std::move(columns), {}, {}, source.draws});
        if (GoalJudge* const goals = goals_of(source); goals != nullptr) {
            goals->bind(memory_of_goals(*goals, keys, out.parts_.back().columns));
            out.parts_.back().goals.emplace(std::move(*goals));
        }
        TENON_TRY(out.bind(source, out.parts_.back(), rows));
    }
    return out;
}

Status Gathered::make_on_device(const RowSource& source, std::string_view reader, std::uint32_t rows) {
    const auto keys = mapped<std::string>(ports_, &Port::key);
    on_device_ = TENON_TRY(source.ring->make_gather(*source.plan, keys, reader, rows));
    ports_.assign(on_device_->ports().begin(), on_device_->ports().end());
    columns_.assign(on_device_->columns().begin(), on_device_->columns().end());
    return {};
}

Status Gathered::reserve(std::uint32_t rows) {
    if (rows <= rows_) {
        return {};
    }
    // No combination that a manifest could have: a program asks for more rows than the manifest's minibatch has.
    if (parts_.size() != 1 || !parts_.front().transforms.empty() || parts_.front().goals) {
        return input_problem("a minibatch of " + std::to_string(rows) +
                             " rows is larger than train.minibatch = " + std::to_string(rows_) +
                             "; only rows of one buffer, without transforms and without relabel_by = \"env\", can be "
                             "more");
    }
    std::vector<Slab> memory;
    for (const Port& port : ports_) {
        memory.push_back(TENON_TRY(Slab::make(row_bytes(port) * rows)));
    }
    rows_ = rows;
    memory_ = std::move(memory);
    Part& part = parts_.front();
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        columns_[i] = memory_[i].data();
    }
    for (std::size_t i = 0; i < part.ports.size(); ++i) {
        part.columns[i] = columns_[part.ports[i]];
    }
    return {};
}

// The memory of one input, which several sources may fill.
Result<std::byte*> Gathered::memory_of(std::size_t input, const Port& port, std::uint32_t rows) {
    if (columns_[input] == nullptr) {
        Port& own = ports_[input];
        own.dtype = port.dtype;
        own.row = port.row;
        const auto pair = find_pair(pairs_, own.key);
        if (pair != pairs_.end()) {
            columns_[input] = pair->memory.as<std::byte>() + (own.key == pair->key ? 0 : pair->apart);
        } else {
            memory_[input] = TENON_TRY(Slab::make(row_bytes(port) * rows));
            columns_[input] = memory_[input].data();
        }
    }
    return static_cast<std::byte*>(columns_[input]);
}

// Adds memory for columns that only the goals of the source read.
Status Gathered::add_unread(const RowSource& source, const GatherPlan& plan, std::uint32_t rows,
                            std::vector<void*>& columns) {
    while (columns.size() < plan.ports().size()) {
        const Port& port = plan.ports()[columns.size()];
        Slab made = TENON_TRY(Slab::make(row_bytes(port) * rows));
        columns.push_back(made.as<std::byte>() + row_bytes(port) * source.first);
        memory_.push_back(std::move(made));
    }
    return {};
}

Status Gathered::add_pairs(const RowSource& source, std::uint32_t rows) {
    for (const RowTransform& transform : transforms_of(source)) {
        for (const Spec& spec : transform.columns()) {
            const std::string key = source.prefix + spec.key;
            if (spec.role != Role::kObservation || find_pair(pairs_, key) != pairs_.end()) {
                continue;
            }
            const std::size_t bytes = static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype) * rows;
            const std::size_t apart = (bytes + kSlabAlignment - 1) / kSlabAlignment * kSlabAlignment;
            Slab made = TENON_TRY(Slab::make(2 * apart));
            pairs_.push_back({key, source.prefix + next_key(spec.key), apart, std::move(made)});
        }
    }
    return {};
}

// Gives the transforms of a part the memory of their columns, beginning with its first row.
Status Gathered::bind(const RowSource& source, Part& part, std::uint32_t rows) {
    const auto column = [&](const std::string& key) -> void* {
        const auto port = std::ranges::find(ports_, key, &Port::key);
        return port == ports_.end() ? nullptr : columns_[static_cast<std::size_t>(port - ports_.begin())];
    };
    for (RowTransform& transform : transforms_of(source)) {
        std::vector<RowMemory> memory;
        for (const Spec& spec : transform.columns()) {
            const std::size_t bytes = static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype);
            const std::string key = source.prefix + spec.key;
            const std::string next = source.prefix + next_key(spec.key);
            RowMemory of{.rows = static_cast<std::byte*>(column(next)),
                         .here = spec.role == Role::kObservation && column(key) != nullptr,
                         .after = column(next) != nullptr};
            if (const auto pair = find_pair(pairs_, key); pair != pairs_.end()) {
                of.rows = pair->memory.as<std::byte>();
                of.apart = pair->apart;
            } else if (of.rows == nullptr) {  // a reward that nothing reads
                Slab made = TENON_TRY(Slab::make(bytes * rows));
                of.rows = made.as<std::byte>();
                memory_.push_back(std::move(made));
            }
            of.rows += bytes * source.first;
            memory.push_back(of);
        }
        TENON_TRY(transform.bind(memory));
        part.transforms.push_back(std::move(transform));
    }
    return {};
}

Status Gathered::gather(const ChosenRows& rows) {
    if (on_device_ != nullptr) {
        return on_device_->gather(rows.parts.front(), static_cast<std::uint32_t>(row_count(rows.sizes)));
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        Part& part = parts_[i];
        const std::size_t count = part.count == 0 ? row_count(rows.sizes) : part.count;
        part.plan.gather(rows.parts[i], 0, count, part.columns.data());
        part.plan.gather_earlier(rows.parts[i], static_cast<std::size_t>(rows.sizes.lanes), part.columns.data());
        if (!part.plan.is_intact()) {
            return environment_problem(
                "a compressed block of the buffer is damaged: the memory of this machine, or of "
                "this process, has been changed",
                {}, "resume the run from its checkpoint");
        }
        TENON_TRY(part.goals ? part.goals->apply(count) : Status());
        for (RowTransform& transform : part.transforms) {
            TENON_TRY(transform.apply(static_cast<std::uint32_t>(count), part.draws, rows.number));
        }
    }
    return {};
}

}  // namespace tenon
