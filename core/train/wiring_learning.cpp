// SPDX-License-Identifier: Apache-2.0
#include "train/wiring_learning.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "graph/text.hpp"
#include "replay/reader.hpp"
#include "train/wiring.hpp"

namespace tenon {
namespace {

using graph::Column;

void refuse(const graph::Unit& objective, const std::string& wish, const std::string& why, Problems& problems) {
    problems.push_back(input_problem(objective.component + " " + wish + ", " + why, objective.place));
}

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

// What is in batches that the sampler puts together of these columns.
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
            problems.push_back(input_problem(
                plan.sampler + " reads '" + line.source + "', which nobody provides" + did_you_mean(line.source, known),
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
                   "which there is already, by " + found->writer, problems);
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

// One real number a row.
void check_priority(const Wiring& w, const graph::Named& write, Problems& problems) {
    const graph::Type& type = w.update.graph.type(write.value);
    if (type.kind != graph::Kind::kReal || !type.sizes().empty()) {
        refuse(*w.objective, "writes " + w.update.graph.symbols.text(type) + " as the rows' priority",
               "which is one real number a row", problems);
    }
}

// Priorities that nobody takes are not computed. A sampler takes float64, whatever the run computes with.
void settle_priority(Wiring& w) {
    if (w.update.failed) {
        return;  // it has no outputs then
    }
    auto& writes = w.update.graph.writes;
    for (std::size_t i = 0; i < writes.size(); ++i) {
        if (writes[i].name == kPriority && w.sampler && w.sampler->takes_priorities()) {
            w.update.outputs[i].dtype = DType::kF64;
        } else if (writes[i].name == kPriority) {
            writes.erase(writes.begin() + static_cast<std::ptrdiff_t>(i));
            w.update.outputs.erase(w.update.outputs.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
    }
}

// What is obeyed elsewhere or by nobody is refused, not ignored.
void check_effects(const Wiring& w, const BuiltProgram& program, Problems& problems) {
    const bool prepares = &program == &w.prepare;
    const bool updates = &program == &w.update;
    for (const graph::Named& write : program.graph.writes) {
        if (updates && write.name == kPriority) {
            check_priority(w, write, problems);
        } else if (!prepares) {
            const std::vector<std::string_view> known = {kPriority};
            refuse(*w.objective, "writes the column '" + write.name + "' in its function " + program.name,
                   updates ? "and all that an update writes is 'priority'; columns are written in prepare" +
                                 did_you_mean(write.name, known)
                           : "which no other program of the run reads; columns are written in prepare",
                   problems);
        }
    }
    const std::vector<std::string_view> known = {kStopEpochs, kSkipUpdate};
    for (const graph::Named& control : program.graph.controls) {
        const std::string wish = "controls the run ('" + control.name + "')";
        if (std::find(known.begin(), known.end(), control.name) == known.end()) {
            refuse(*w.objective, wish,
                   "and the controls there are stop_epochs and skip_update" + did_you_mean(control.name, known),
                   problems);
        } else if (!updates) {
            refuse(*w.objective, wish + " in its function " + program.name, "and controls stand in update", problems);
        } else if (control.name == kStopEpochs && !w.learns_by_batch()) {
            refuse(*w.objective, wish, "and a run with a [buffer] has no epochs", problems);
        }
    }
    for (const graph::Named& metric : program.graph.metrics) {
        const auto same = [&](const graph::Named& other) { return other.name == metric.name; };
        const auto& first = w.update.graph.metrics;
        const auto& second = w.prepare.graph.metrics;
        if ((!updates && std::any_of(first.begin(), first.end(), same)) ||
            (!updates && !prepares && std::any_of(second.begin(), second.end(), same))) {
            refuse(*w.objective, "has the metric '" + metric.name + "' in its function " + program.name,
                   "and one of that name in another", problems);
        }
    }
}

// The reward under next. is then that of the last step alone.
void check_several_steps(const Wiring& w, Problems& problems) {
    const auto reads = [&](std::string_view key) {
        return std::ranges::find(w.update.inputs, key, &PortSpec::key) != w.update.inputs.end();
    };
    const bool several = w.sampler && w.sampler->plan().line_for("next.rewards") != nullptr &&
                         w.sampler->plan().line_for("next.rewards")->names_column();
    if (several && reads("next.reward") && !reads("next.rewards")) {
        problems.push_back(input_problem(w.sampler->name() + " makes a row of several steps, and " +
                                             w.objective->component + " reads the reward of one",
                                         w.manifest.buffer->component.ref.place));
        problems.back().also.push_back(w.objective->place);
    }
}

// Minibatches whose gradients are averaged all come before the step, and what is left out must be known before it.
void check_steps(const Wiring& w, Problems& problems) {
    const TrainTable& train = w.manifest.train;
    if (train.accumulate == 1 && !w.update.leaves_out) {
        return;
    }
    for (const graph::Node& node : w.update.graph.nodes) {
        if (node.op == nullptr || (node.op->name != "parameter" && node.op->name != "state")) {
            continue;
        }
        const std::string& version = graph::string_attribute(node, "version");
        if (!version.empty() && version != "start") {
            const std::string key = w.update.leaves_out ? "train.on_not_finite" : "train.accumulate";
            const std::string value =
                w.update.leaves_out ? '"' + train.on_not_finite + '"' : std::to_string(train.accumulate);
            problems.push_back(input_problem(key + " is " + value + ", and " + w.objective->component +
                                                 " reads parameters as they are after the step of its stage '" +
                                                 version + "', which then has " +
                                                 (w.update.leaves_out ? "already" : "not") + " been made",
                                             place_of(w.manifest, key)));
            return;
        }
    }
}

// Steps in a sequence that updates see; 0: they see single frames.
std::int64_t sequence_length(const Wiring& w) {
    const TrainTable& t = w.manifest.train;
    const std::string shuffle = t.shuffle.value_or("frames");
    return w.sampler             ? w.sampler->plan().time
           : shuffle == "lanes"  ? t.batch / w.manifest.env.lanes
           : shuffle == "slices" ? t.slice_length.value_or(0)
                                 : 0;
}

// Sequences that are longer, and something to bring up to date.
void check_burn_in(const Wiring& w, std::int64_t length, Problems& problems) {
    const std::int64_t burn_in = w.manifest.train.burn_in;
    const auto memories = memory_columns(w.act, w.real());
    const bool remembers = std::ranges::any_of(memories, [&](const Column& memory) {
        return std::ranges::find(w.update.inputs, memory.spec.key, &PortSpec::key) != w.update.inputs.end();
    });
    if (burn_in == 0) {
        return;
    }
    const std::string why =
        length == 0         ? "and this run learns from single frames, which have no beginning to leave out"
        : burn_in >= length ? "which leaves nothing of sequences of " + std::to_string(length) + " steps to learn from"
        : !remembers && !w.update.failed ? "and no network that this run learns remembers from step to step"
                                         : "";
    if (!why.empty()) {
        problems.push_back(input_problem("train.burn_in is " + std::to_string(burn_in) + ", " + why,
                                         place_of(w.manifest, "train.burn_in")));
    }
}

void refuse_key(const Manifest& m, const char* key, bool given, const std::string& why, Problems& problems) {
    if (given) {
        const std::string path = std::string("train.") + key;
        problems.push_back(input_problem(path + " " + why, place_of(m, path)));
    }
}

// Sizes that do not go into each other.
void check_division(const Manifest& m, Problems& problems) {
    const TrainTable& t = m.train;
    const std::string shuffle = t.shuffle.value_or("frames");
    const std::int64_t steps = t.batch / m.env.lanes;
    if (t.episodes && shuffle != "frames") {
        refuse_key(m, "shuffle", true,
                   "is \"" + shuffle + "\", and whole episodes (train.episodes) are dealt out as single frames",
                   problems);
        return;
    }
    const auto complain = [&](const char* key, std::int64_t value, const std::string& why) {
        const std::string path = std::string("train.") + key;
        problems.push_back(input_problem(path + " is " + std::to_string(value) + ", " + why, place_of(m, path)));
    };
    if (t.slice_length && shuffle != "slices") {
        complain("slice_length", *t.slice_length, "and train.shuffle is \"" + shuffle + "\", which has no slices");
    }
    if (shuffle == "slices" && !t.slice_length) {
        problems.push_back(
            input_problem("train.shuffle is \"slices\", which needs train.slice_length", place_of(m, "train.shuffle")));
        return;
    }
    if (t.episodes) {
        return;
    }
    const std::int64_t unit = shuffle == "lanes" ? steps : shuffle == "slices" ? *t.slice_length : 1;
    if (steps % unit != 0) {
        complain("slice_length", unit,
                 "which does not divide the " + std::to_string(steps) + " steps that each lane collects for a batch");
    } else if (t.minibatch > t.batch) {
        complain("minibatch", t.minibatch, "more than the " + std::to_string(t.batch) + " frames of train.batch");
    } else if (t.minibatch % unit != 0) {
        complain("minibatch", t.minibatch,
                 "which is no whole number of sequences of " + std::to_string(unit) + " steps (train.shuffle is \"" +
                     shuffle + "\")");
    }
}

}  // namespace

void check_train(const Wiring& wiring, Problems& problems) {
    const Manifest& m = wiring.manifest;
    const TrainTable& t = m.train;
    if (m.env.lanes < 1) {
        return;  // there is no [env], which has been said
    }
    if (t.episodes && *t.episodes % m.env.lanes != 0) {
        problems.push_back(input_problem("train.episodes is " + std::to_string(*t.episodes) + ", which " +
                                             std::to_string(m.env.lanes) +
                                             " lanes cannot share evenly; make it a multiple of env.lanes",
                                         place_of(m, "train.episodes")));
        return;
    }
    if (t.episodes && m.given.contains("train.batch")) {
        problems.push_back(
            input_problem("only one of train.batch and train.episodes may be given", place_of(m, "train.episodes")));
        problems.back().also.push_back(place_of(m, "train.batch"));
        return;
    }
    if (!t.episodes && t.batch % m.env.lanes != 0) {
        problems.push_back(input_problem("train.batch is " + std::to_string(t.batch) + ", which " +
                                             std::to_string(m.env.lanes) +
                                             " lanes cannot collect in whole steps; make it a multiple of env.lanes",
                                         place_of(m, "train.batch")));
        return;
    }
    if (m.objectives.empty()) {
        refuse_key(m, "episodes", t.episodes.has_value(), "is of runs that learn, and this one has no [objective]",
                   problems);
        return;
    }
    if (m.buffer) {
        const std::string why = "is of runs that learn from each batch as a whole, without a [buffer]";
        refuse_key(m, "episodes", t.episodes.has_value(), why, problems);
        refuse_key(m, "epochs", t.epochs.has_value(), why, problems);
        refuse_key(m, "shuffle", t.shuffle.has_value(), why, problems);
        refuse_key(m, "slice_length", t.slice_length.has_value(), why, problems);
        refuse_key(m, "prepare", t.prepare.has_value(), why, problems);
        return;
    }
    const std::string why = "is of runs that sample from a [buffer]; this one learns from each batch in train.epochs";
    refuse_key(m, "updates_per_batch", t.updates_per_batch.has_value(), why, problems);
    refuse_key(m, "updates_per_frame", t.updates_per_frame.has_value(), why, problems);
    refuse_key(m, "start_frames", t.start_frames > 0, why, problems);
    check_division(m, problems);
}

void check_episodes(const Wiring& w, Problems& problems) {
    const Manifest& m = w.manifest;
    if (!m.train.episodes || m.buffer || m.objectives.empty()) {
        return;
    }
    const std::int64_t limit = w.lanes->env_info().episode_limit;
    const double most = static_cast<double>(*m.train.episodes) * static_cast<double>(limit);
    if (limit == 0) {
        problems.push_back(input_problem(
            "train.episodes wants episodes that end, and " + w.lanes->name() + " names no limit of their steps",
            place_of(m, "train.episodes"), "collect so many frames in place of it: train.batch"));
    } else if (most > 2147483647.0) {
        problems.push_back(input_problem("train.episodes is " + std::to_string(*m.train.episodes) +
                                             ", which may be more than " + "2147483647 frames: an episode of " +
                                             w.lanes->name() + " has " + std::to_string(limit) + " steps at most",
                                         place_of(m, "train.episodes")));
    } else if (static_cast<double>(m.train.minibatch) > most) {
        problems.push_back(input_problem("train.minibatch is " + std::to_string(m.train.minibatch) +
                                             ", more than the " + std::to_string(*m.train.episodes * limit) +
                                             " frames that train.episodes can come to",
                                         place_of(m, "train.minibatch")));
    }
}

void wire_learning(Wiring& w, const BuildSite& site, const std::vector<Column>& outputs, Problems& problems) {
    if (!w.objective) {
        return;
    }
    const graph::Unit& objective = *w.objective;
    const auto has = [&](const char* function) { return graph::find_function(objective, function) != nullptr; };
    const std::size_t before = problems.size();
    w.update_columns = readable_columns(w, outputs);
    if (w.sampler) {
        w.update_columns = sampled_columns(w, std::move(w.update_columns), problems);
    }
    for (const char* function : {"prepare", "conclude"}) {
        if (has(function) && !w.learns_by_batch()) {
            refuse(objective, std::string("works on whole collected batches (its function ") + function + ")",
                   "and this run samples from a [buffer]; leave that table out", problems);
        }
    }
    if (problems.size() == before && has("prepare")) {
        w.prepare = build_whole_batch(site, objective, "prepare", w.update_columns, problems);
        add_prepared(w, problems);
    }
    if (problems.size() != before || w.prepare.failed) {
        return;  // columns that are missing have their reason already
    }
    const std::int64_t length = sequence_length(w);
    w.update =
        build_update(site, objective, length > 0 ? std::vector{graph::kTime, graph::kLanes} : std::vector{graph::kRows},
                     w.update_columns, problems);
    check_burn_in(w, length, problems);
    w.update.leaves_out = w.manifest.train.on_not_finite == "leave_out";
    if (has("conclude")) {
        w.conclude = build_whole_batch(site, objective, "conclude", w.update_columns, problems);
    }
    for (const BuiltProgram* program : {&w.update, &w.prepare, &w.conclude}) {
        check_effects(w, *program, problems);
    }
    check_steps(w, problems);
    check_several_steps(w, problems);
    settle_priority(w);
    if (problems.size() == before && !w.update.failed && !w.conclude.failed) {
        w.stages = plan_stages(w.update.graph, w.layouts, w.manifest, w.live, problems);
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
