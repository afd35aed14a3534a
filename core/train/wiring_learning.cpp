// SPDX-License-Identifier: Apache-2.0
#include "train/wiring_learning.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exec/fused_nodes.hpp"
#include "graph/text.hpp"
#include "replay/reader.hpp"
#include "train/effects.hpp"
#include "train/train_table.hpp"
#include "train/wiring.hpp"

namespace tenon {
namespace {

using graph::Column;

std::vector<Column> readable_columns(const Wiring& w, const std::vector<Column>& outputs) {
    std::vector<Column> out;
    for (const Spec& spec : reader_specs(w.env_specs).specs) {
        out.push_back({spec, "env"});
    }
    out.insert(out.end(), outputs.begin(), outputs.end());
    return out;
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

// The columns of batches that the sampler assembles from these columns.
std::vector<Column> sampled_columns(const Wiring& w, std::vector<Column> stored, Problems& problems) {
    const SamplerPlan& plan = w.sampler->plan();
    std::vector<Column> out;
    std::ranges::copy_if(stored, std::back_inserter(out),
                         [&](const Column& column) { return plan.line_for(column.spec.key) != nullptr; });
    for (const GatherLine& line : plan.lines) {
        const auto source = line.names_column() ? find(stored, line.source) : stored.end();
        if (source != stored.end()) {
            Column column = *source;
            column.spec.key = line.target;
            column.spec.shape = line.row(column.spec.shape);
            if (line.target != line.source) {
                column.writer = "buffer";
                column.made_of = find(stored, line.target) == stored.end() ? line.source : "";
            }
            put(out, std::move(column));
        } else if (line.names_column()) {
            std::vector<std::string_view> known;
            for (const Column& column : stored) {
                known.emplace_back(column.spec.key);
            }
            problems.push_back(input_problem(plan.sampler + " reads '" + line.source +
                                                 "', which nothing in the run provides" +
                                                 did_you_mean(line.source, known),
                                             w.manifest.buffer->component.ref.place));
        }
    }
    for (const SamplerColumn& column : plan.columns) {
        Spec spec;
        spec.key = column.key;
        spec.dtype = column.dtype;
        put(out, {std::move(spec), "buffer"});
    }
    return out;
}

void add_prepared(Wiring& w, Problems& problems) {
    for (const PortSpec& port : w.prepare.outputs) {
        const auto found = std::find_if(w.update_columns.begin(), w.update_columns.end(),
                                        [&](const Column& column) { return column.spec.key == port.key; });
        if (found != w.update_columns.end()) {
            refuse(*w.objective, "prepares the column '" + port.key + "'",
                   "which already exists, written by " + found->writer, problems);
            continue;
        }
        Spec spec;
        spec.key = port.key;
        spec.role = Role::kState;
        spec.dtype = port.dtype;
        spec.shape = Shape(std::span<const std::int64_t>(port.row_shape));
        w.update_columns.push_back({std::move(spec), "prepare"});
    }
}

// With several steps per row, the reward under next. is only that of the last step.
void check_several_steps(const Wiring& w, Problems& problems) {
    const auto reads = [&](std::string_view key) {
        return std::ranges::find(w.update.inputs, key, &PortSpec::key) != w.update.inputs.end();
    };
    const bool several = w.sampler && w.sampler->plan().line_for("next.rewards") != nullptr &&
                         w.sampler->plan().line_for("next.rewards")->names_column();
    if (several && reads("next.reward") && !reads("next.rewards")) {
        problems.push_back(input_problem(w.sampler->name() + " makes rows of several steps, but " +
                                             w.objective->component + " reads the reward of one",
                                         w.manifest.buffer->component.ref.place));
        problems.back().also.push_back(w.objective->place);
    }
}

// The site, for a program of so many rows.
BuildSite with_extent(const BuildSite& site, std::int64_t rows, std::int64_t time) {
    BuildSite out = site;
    out.extent = {.rows = std::max<std::int64_t>(rows, 1), .time = time};
    return out;
}

}  // namespace

void check_takes_buffer(const Wiring& w, Problems& problems) {
    for (const char* function : {"prepare", "conclude"}) {
        if (w.objective && w.manifest.buffer && graph::find_function(*w.objective, function) != nullptr) {
            refuse(*w.objective, std::string("works on whole collected batches (its function ") + function + ")",
                   "but this run samples from a [buffer]; remove that table", problems);
        }
    }
}

std::int64_t sequence_length(const Wiring& w) {
    const TrainTable& t = w.manifest.train;
    const std::string shuffle = t.shuffle.value_or("frames");
    return w.sampler             ? w.sampler->plan().time
           : shuffle == "lanes"  ? t.batch / w.manifest.env.lanes
           : shuffle == "slices" ? t.slice_length.value_or(0)
                                 : 0;
}

void wire_learning(Wiring& w, const BuildSite& site, const std::vector<Column>& outputs, Problems& problems) {
    if (!w.objective) {
        return;
    }
    const graph::Unit& objective = *w.objective;
    const auto has = [&](const char* function) { return graph::find_function(objective, function) != nullptr; };
    const std::size_t before = problems.size();
    const TrainTable& train = w.manifest.train;
    const BuildSite of_batch = with_extent(
        site, train.batch, train.episodes ? 0 : train.batch / std::max<std::int64_t>(w.manifest.env.lanes, 1));
    w.update_columns = readable_columns(w, outputs);
    if (w.sampler) {
        w.update_columns = sampled_columns(w, std::move(w.update_columns), problems);
    }
    if (!w.learns_by_batch() && (has("prepare") || has("conclude"))) {
        return;  // a [buffer] that is not wanted has been reported
    }
    if (problems.size() == before && has("prepare")) {
        w.prepare = build_whole_batch(of_batch, objective, "prepare", w.update_columns, problems);
        add_prepared(w, problems);
    }
    if (problems.size() != before || w.prepare.failed) {
        return;  // missing columns have been reported
    }
    const std::int64_t length = sequence_length(w);
    w.update = build_update(with_extent(site, train.minibatch, length), objective,
                            length > 0 ? std::vector{graph::kTime, graph::kLanes} : std::vector{graph::kRows},
                            w.update_columns, problems);
    check_burn_in(w, length, problems);
    w.update.leaves_out = w.manifest.train.on_not_finite == "leave_out";
    if (has("conclude")) {
        w.conclude = build_whole_batch(of_batch, objective, "conclude", w.update_columns, problems);
    }
    for (const BuiltProgram* program : {&w.update, &w.prepare, &w.conclude}) {
        check_effects(w, *program, problems);
    }
    check_steps(w, problems);
    check_several_steps(w, problems);
    settle_priority(w);
    if (problems.size() == before && !w.update.failed && !w.conclude.failed) {
        w.stages = plan_stages(w.update.graph, w.layouts, w.manifest, w.live, problems);
        std::ranges::move(check_fused(w.update.graph, w.real()), std::back_inserter(problems));
    }
}

bool learning_reads(const Wiring& w, std::string_view key) {
    const auto same = [&](const PortSpec& port) { return port.key == key; };
    return std::any_of(w.update.inputs.begin(), w.update.inputs.end(), same) ||
           std::any_of(w.prepare.inputs.begin(), w.prepare.inputs.end(), same) ||
           std::any_of(w.conclude.inputs.begin(), w.conclude.inputs.end(), same);
}

bool learning_wants(const Wiring& w, std::string_view stored) {
    return learning_reads(w, stored) ||
           (w.sampler && std::ranges::any_of(w.sampler->plan().lines, [&](const GatherLine& line) {
                return line.source == stored && learning_reads(w, line.target);
            }));
}

std::vector<std::string> metrics_of(const Wiring& w) {
    std::vector<std::string> out;
    for (const BuiltProgram* program : {&w.update, &w.prepare, &w.conclude}) {
        for (const graph::Named& metric : program->graph.metrics) {
            out.push_back(metric.name);
        }
    }
    return out;
}

std::string learning_text(const Wiring& w) {
    std::string out;
    for (const BuiltProgram* program : {&w.update, &w.prepare, &w.conclude}) {
        out += program->there() ? graph::text(program->graph, graph::Places::kLeftOut) : "";
    }
    return out;
}

}  // namespace tenon
