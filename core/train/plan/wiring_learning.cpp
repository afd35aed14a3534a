// SPDX-License-Identifier: Apache-2.0
#include "train/plan/wiring_learning.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "compute/exec/fused_nodes.hpp"
#include "compute/graph/text.hpp"
#include "experience/replay/reader.hpp"
#include "experience/replay/sampler_reads.hpp"
#include "train/plan/capabilities/matcher.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/effects.hpp"
#include "train/plan/stages.hpp"
#include "train/plan/train_table.hpp"
#include "train/plan/wiring.hpp"
#include "train/plan/written_columns.hpp"

namespace tenon {
namespace {

using graph::Column;

std::vector<Column> readable_columns(const Wiring& w, const std::vector<Column>& outputs) {
    auto out = mapped<Column>(reader_specs(w.env_specs).specs, [&](const Spec& spec) { return Column{spec, "env"}; });
    std::ranges::copy(outputs, std::back_inserter(out));
    return out;
}

std::vector<Column> without_earlier_rows(std::vector<Column> columns) {
    std::erase_if(columns, [](const Column& column) { return column.earlier > 0; });
    return columns;
}

// Whether sampled sequences begin with the rows that acting has stored before them. Frames of others have no such rows,
// and only a plain ring in memory holds the steps before each frame that a sampler may choose. Other sequences begin
// with empty histories.
bool has_earlier_rows(const Wiring& w, const BufferPlan& buffer) {
    return buffer.collects() && !buffer.keeps() && buffer.mixed.empty() && buffer.sampling.time > 0 &&
           buffer.table->storage == "memory" && buffer.table->init.empty() && w.device == nullptr &&
           !w.learns_by_batch();
}

std::vector<Column>::iterator find(std::vector<Column>& columns, std::string_view key) {
    return std::ranges::find_if(columns, [&](const Column& column) { return column.spec.key == key; });
}

void put(std::vector<Column>& columns, Column column) {
    const auto known = find(columns, column.spec.key);
    if (known == columns.end()) {
        columns.push_back(std::move(column));
    } else {
        *known = std::move(column);
    }
}

// `name_of` gives the name under which the sampler finds a column.
template <class NameOf>
Problem nothing_provides(const BufferPlan& buffer, const std::string& key, const std::vector<Column>& readable,
                         const NameOf& name_of) {
    const auto known = mapped<std::string_view>(
        readable, [&](const Column& column) -> std::string_view { return name_of(column.spec.key); });
    return input_problem(
        buffer.sampling.sampler + " reads '" + key + "', which nothing in the run provides" + did_you_mean(key, known),
        buffer.table->component.ref.place);
}

// Checks the stored columns by which the sampler chooses rows. A reward or an end is "next.reward" for readers of a
// row, but is stored as "reward".
void check_reads(const BufferPlan& buffer, std::vector<Column>& readable, Problems& problems) {
    for (const ColumnRead& read : buffer.sampling.reads) {
        auto found = find(readable, read.key);
        found = found == readable.end() ? find(readable, next_key(read.key)) : found;
        if (found == readable.end()) {
            problems.push_back(nothing_provides(buffer, read.key, readable, without_next));
        } else if (const std::string fault = fault_of_read(read, found->spec.shape); !fault.empty()) {
            problems.push_back(input_problem(buffer.sampling.sampler + " reads '" + read.key + "', which " + fault,
                                             buffer.table->component.ref.place));
        }
    }
}

// The columns of batches that the sampler assembles from these columns.
std::vector<Column> sampled_columns(const BufferPlan& buffer, std::vector<Column> stored, Problems& problems) {
    const SamplerPlan& plan = buffer.sampling;
    std::vector<Column> out;
    std::ranges::copy_if(stored, std::back_inserter(out),
                         [&](const Column& column) { return plan.line_for(column.spec.key) != nullptr; });
    for (const GatherLine& line : plan.lines) {
        const auto source = line.names_column() ? find(stored, line.source) : stored.end();
        if (source != stored.end()) {
            Column column = *source;
            column.spec.key = line.target;
            const std::uint32_t rank = column.spec.shape.rank;
            column.spec.shape = line.row(column.spec.shape);
            column.agents_at = column.spec.shape.rank - rank;
            if (line.target != line.source) {
                column.writer = "buffer";
                column.made_of = find(stored, line.target) == stored.end() ? line.source : "";
            }
            put(out, std::move(column));
        } else if (line.names_column()) {
            problems.push_back(nothing_provides(buffer, line.source, stored, std::identity{}));
        }
    }
    check_reads(buffer, stored, problems);
    for (const Port& column : plan.columns) {
        put(out, {computed_spec(column, Role::kObservation), "buffer"});
    }
    return out;
}

// The columns of another batch, under its prefix. Transforms change them as they change the objective's own.
void add_batch(const Wiring& w, const BatchPlan& batch, const std::vector<Column>& readable, ObjectivePlan& plan,
               Problems& problems) {
    for (const Column& own : plan.columns) {
        if (own.spec.key.starts_with(batch.prefix)) {
            refuse(plan.unit, "reads a batch under '" + batch.prefix + "'",
                   "but '" + own.spec.key + "' is a column of its own; give the batch another name", problems);
            return;
        }
    }
    for (Column column : sampled_columns(w.buffers[*batch.buffer], readable, problems)) {
        column.made_of = column.made_of.empty() ? column.spec.key : column.made_of;
        column.spec.key = batch.prefix + column.spec.key;
        column.writer = "buffer";
        plan.columns.push_back(std::move(column));
    }
}

void add_prepared(ObjectivePlan& plan, Problems& problems) {
    for (const Port& port : plan.prepare.outputs) {
        const auto found = find(plan.columns, port.key);
        if (found != plan.columns.end()) {
            refuse(plan.unit, "prepares the column '" + port.key + "'",
                   "which already exists, written by " + found->writer, problems);
            continue;
        }
        plan.columns.push_back({computed_spec(port, Role::kState), plan.prepare.name});
    }
}

// The function that computes columns of stored frames; null if the objective has none.
const char* storing_function(const graph::Unit& objective) {
    const auto has = [&](const char* name) { return graph::find_function(objective, name) != nullptr; };
    return has("store") ? "store" : has("store_episodes") ? "store_episodes" : nullptr;
}

// The columns of batches from the objective's own buffer. Columns that its function `store` or `store_episodes` writes
// are stored in this buffer like the others.
std::vector<Column> own_columns(const Wiring& w, ObjectivePlan& plan, const BuildSite& site,
                                const std::vector<Column>& readable, Problems& problems) {
    const BufferPlan& buffer = w.buffers[*plan.batches.front().buffer];
    plan.columns = without_earlier_rows(readable);
    if (const char* const function = storing_function(plan.unit); function != nullptr) {
        plan.prepare = build_whole_batch(site, plan.unit, function, plan.columns, problems);
        plan.stores_episodes = function == std::string_view("store_episodes");
        add_prepared(plan, problems);
    }
    if (has_earlier_rows(w, buffer)) {
        std::ranges::copy_if(readable, std::back_inserter(plan.columns),
                             [](const Column& column) { return column.earlier > 0; });
    }
    return sampled_columns(buffer, plan.columns, problems);
}

// The site for a program of so many rows.
BuildSite with_extent(const BuildSite& site, std::int64_t rows, std::int64_t time) {
    BuildSite out = site;
    out.extent = {.rows = std::max<std::int64_t>(rows, 1), .time = time};
    return out;
}

}  // namespace

void check_takes_buffer(const Wiring& w, Problems& problems) {
    for (const ObjectivePlan& plan : w.objectives) {
        PresentParts parts;
        for (const char* const function : {"prepare", "conclude"}) {
            add_part(
                parts, graph::find_function(plan.unit, function) != nullptr,
                part_of(Feature::kWholeBatchFunction, plan,
                        plan.unit.component + " works on whole collected batches (its function " + function + ")"));
        }
        add_part(parts, !plan.by_batch() && storing_function(plan.unit) == nullptr,
                 part_of(Feature::kSampledObjective, plan, "this run samples from a [buffer]"));
        refuse_combinations(parts, problems);
    }
}

std::int64_t sequence_length(const Wiring& w, const ObjectivePlan& plan) {
    const TrainTable& t = plan.train;
    const std::string shuffle = t.shuffle.value_or("frames");
    return !plan.by_batch()      ? w.buffers[*plan.batches.front().buffer].sampling.time
           : shuffle == "lanes"  ? t.batch / w.manifest.env.lanes
           : shuffle == "slices" ? t.slice_length.value_or(0)
                                 : 0;
}

void wire_learning(Wiring& w, ObjectivePlan& plan, const BuildSite& site, const std::vector<Column>& outputs,
                   Problems& problems) {
    const graph::Unit& objective = plan.unit;
    const auto has = [&](const char* function) { return graph::find_function(objective, function) != nullptr; };
    const std::size_t before = problems.size();
    const TrainTable& train = plan.train;
    const BuildSite of_batch = with_extent(
        site, train.batch, train.episodes ? 0 : train.batch / std::max<std::int64_t>(w.manifest.env.lanes, 1));
    const std::vector<Column> readable = readable_columns(w, outputs);
    plan.columns = plan.by_batch() ? readable : own_columns(w, plan, of_batch, readable, problems);
    for (std::size_t i = 1; i < plan.batches.size(); ++i) {
        add_batch(w, plan.batches[i], without_earlier_rows(readable), plan, problems);
    }
    if (!plan.by_batch() && storing_function(objective) == nullptr && (has("prepare") || has("conclude"))) {
        return;  // a superfluous [buffer] has been reported
    }
    if (problems.size() == before && plan.by_batch() && has("prepare")) {
        plan.prepare = build_whole_batch(of_batch, objective, "prepare", plan.columns, problems);
        add_prepared(plan, problems);
    }
    const bool was_left = site.told->contains(graph::mark_of_column(objective.role, ""));
    if (problems.size() != before && (was_left || !plan.by_batch() || !plan.prepare.failed)) {
        return;  // missing columns have been reported, or prepare was left before it had written all of its own
    }
    const std::int64_t length = sequence_length(w, plan);
    plan.update = build_update(with_extent(site, train.minibatch, length), objective,
                               length > 0 ? std::vector{graph::kTime, graph::kLanes} : std::vector{graph::kRows},
                               plan.columns, problems);
    check_burn_in(w, plan, length, problems);
    plan.update.leaves_out = train.on_not_finite == "leave_out";
    if (plan.by_batch() && has("conclude")) {
        plan.conclude = build_whole_batch(of_batch, objective, "conclude", plan.columns, problems);
    }
    for (BuiltProgram* program : {&plan.prepare, &plan.update, &plan.conclude}) {
        program->varies = train.episodes.has_value();
    }
    plan.prepare.varies = plan.prepare.varies || plan.stores_episodes;
    each_program(plan, [&](const BuiltProgram& program) { check_effects(plan, program, problems); });
    settle_priority(w, plan);
    if (problems.size() == before && !plan.update.failed && !plan.conclude.failed) {
        plan.stages = plan_stages(plan.update.graph, plan.name, w.layouts, w.manifest, w.live, problems);
        std::ranges::move(check_fused(plan.update.graph, w.real()), std::back_inserter(problems));
    }
}

bool learning_wants(const Wiring& w, const BufferPlan* buffer, std::string_view stored) {
    const auto is_of = [&](const BatchPlan& batch) {
        if (!batch.buffer) {
            return buffer == nullptr;
        }
        const BufferPlan& plan = w.buffers[*batch.buffer];
        const auto is_part = [&](std::size_t part) { return &w.buffers[part] == buffer; };
        return &plan == buffer || std::ranges::any_of(plan.mixed, is_part);
    };
    if (buffer != nullptr &&
        std::ranges::find(buffer->sampling.reads, stored, &ColumnRead::key) != buffer->sampling.reads.end()) {
        return true;
    }
    for (const ObjectivePlan& plan : w.objectives) {
        for (const BatchPlan& batch : plan.batches) {
            const auto gathers = [&](const GatherLine& line) {
                return line.source == stored && plan.reads(batch.prefix + line.target);
            };
            const bool reads = plan.reads(batch.prefix + std::string(stored)) ||
                               (batch.buffer && std::ranges::any_of(w.buffers[*batch.buffer].sampling.lines, gathers));
            if (is_of(batch) && reads) {
                return true;
            }
        }
    }
    return false;
}

std::string learning_text(const Wiring& w) {
    std::string out;
    for (const ObjectivePlan& plan : w.objectives) {
        each_program(plan, [&](const BuiltProgram& program) {
            out += program.exists() ? graph::text(program.graph, graph::Places::kLeftOut) : "";
        });
    }
    return out;
}

}  // namespace tenon
