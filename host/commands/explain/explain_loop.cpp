// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_parts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "config/manifest/pace.hpp"
#include "config/option/schema.hpp"
#include "folder/records/metric_names.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/source_kind.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

// With at most six digits: "0.25", "3".
std::string short_number(double number) {
    std::string text = to_toml(OptionValue(number));
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

// The word for the sequences of a minibatch.
std::string name_of_sequences(const ObjectivePlan& plan) {
    const std::string shuffle = plan.train.shuffle.value_or("");
    return !plan.by_batch() ? "sequence" : shuffle == "lanes" ? "lane" : "slice";
}

// A minibatch: "32 rows", "8 slices of 32 steps".
std::string rows_of(const Wiring& w, const ObjectivePlan& plan) {
    const std::int64_t rows = plan.train.minibatch;
    const std::int64_t length = sequence_length(w, plan);
    return length == 0 ? counted(rows, "row")
                       : counted(rows / length, name_of_sequences(plan)) + " of " + counted(length, "step");
}

std::string burn_in_of(const ObjectivePlan& plan) {
    const std::int64_t steps = plan.train.burn_in;
    return steps == 0
               ? ""
               : " Of each " + name_of_sequences(plan) + " the first " + counted(steps, "step") +
                     (steps == 1 ? " is" : " are") + " burn-in, which warms up memories; its losses do not count.";
}

std::string initial_memory_of(const ObjectivePlan& plan) {
    return plan.train.initial_memory == "zero" ? " Memories are zero where a " + name_of_sequences(plan) + " begins."
                                               : "";
}

// The sources of rows other than the only buffer or the collected batch.
std::string batches_of(const Wiring& w, const ObjectivePlan& plan) {
    std::string out;
    for (const BatchPlan& batch : plan.batches) {
        const std::string name = batch.buffer ? w.buffers[*batch.buffer].table->name : "";
        if (!name.empty()) {
            out += batch.prefix.empty() ? " from " + name : ", each with as many of " + name;
        }
    }
    return out;
}

// The networks that the objective gets for roles: ", with hunters as actor, hunters_value as value".
std::string networks_of(const ObjectivePlan& plan) {
    const auto text = [](const graph::RoleOf& each) { return each.network + " as " + each.role; };
    return plan.unit.networks.empty() ? "" : ", with " + listed(plan.unit.networks, text);
}

std::string updates_of(const Wiring& w, const ObjectivePlan& plan) {
    const TrainTable& train = plan.train;
    std::string rows = rows_of(w, plan);
    const std::string gathered = std::to_string(train.accumulate);
    const std::string then = plan.every == 1 ? "then " : "in the first of " + std::to_string(plan.every) + " rounds ";
    const std::string makes = plan.name.empty() ? "makes " : plan.name + " makes ";
    const std::string batches = batches_of(w, plan) + networks_of(plan);
    if (plan.by_batch()) {
        return then + (plan.name.empty() ? "learns" : plan.name + " learns") + " from them, " +
               counted(train.epochs.value_or(1), "time") + " in minibatches of " + rows +
               (train.accumulate > 1 ? ", " + gathered + " per update" : "") + batches;
    }
    rows = train.accumulate > 1 ? gathered + " minibatches of " + rows : rows;
    if (train.updates_per_frame) {
        const double round = *train.updates_per_frame * static_cast<double>(train.batch);
        return then + makes + short_number(*train.updates_per_frame) + " updates of " + rows + " per frame (" +
               short_number(round) + " per round)" + batches;
    }
    return then + makes + counted(train.updates_per_batch.value_or(1), "update") + " of " + rows + batches;
}

// The files and folders of initial frames.
std::string sources_of(const Manifest& m) {
    std::string out;
    for (const BufferTable& buffer : m.buffers) {
        out += buffer.init.empty() ? "" : (out.empty() ? "" : " and ") + buffer.init;
    }
    return out;
}

// What the objectives do after a round's frames, in order.
std::string learning_of(const Wiring& w) {
    std::string out;
    for (const ObjectivePlan& plan : w.objectives) {
        out += (out.empty() ? "" : ", ") + updates_of(w, plan);
    }
    return out;
}

std::string who_collects(const Wiring& w) {
    const SourceKind* const kind = source_kind(w);
    return kind == nullptr ? "another thread collects" : kind->collectors(w);
}

std::string rounds_of(const Wiring& w) {
    const Manifest& m = w.manifest;
    if (only_learns(m)) {
        return "Nothing is collected: " + counted(run_length(m), "update") + " of " + rows_of(w, w.objectives.front()) +
               (m.train.accumulate > 1 ? ", " + std::to_string(m.train.accumulate) + " minibatches each," : "") +
               " learn from the frames of " + sources_of(m) + ".";
    }
    if (m.train.episodes && w.learns_by_batch()) {
        return "Each round collects " + counted(*m.train.episodes, "whole episode") + " (" +
               std::to_string(*m.train.episodes / m.env.lanes) + " of each of " + counted(m.env.lanes, "lane") + ", " +
               counted(batch_steps(w), "step") + " at most), " + learning_of(w) +
               "; the run ends after the round that reaches " + counted(run_length(m), "frame") + ".";
    }
    const std::int64_t rounds = (run_length(m) + m.train.batch - 1) / m.train.batch;
    std::string out = "Each round collects " + counted(m.train.batch, "frame") +
                      (w.pools() && !w.learns_by_batch() ? " of " + counted(m.env.lanes, "lane")
                                                         : " (" + counted(m.train.batch / m.env.lanes, "step") +
                                                               " of " + counted(m.env.lanes, "lane") + ")");
    out += w.learns() ? ", " + learning_of(w) : " and learns nothing";
    out += w.collects_async()       ? " of the frames before them, while " + who_collects(w)
           : w.prefetches_batches() ? ", while " + who_collects(w) + " the next batch"
                                    : "";
    out += "; " + counted(rounds, "round") + " make " + counted(run_length(m), "frame") + ".";
    if (w.learns() && m.train.start_frames > 0) {
        out += " The first " + counted(m.train.start_frames, "frame") + " have random actions and no updates.";
    }
    return out;
}

// Which rewards the returns of episodes, evaluations and run.stop_at_return add up, in an env of several agents, which
// leaves a choice.
std::string returns_of(const Wiring& w) {
    if (w.groups.empty()) {
        return "";
    }
    const std::string& named = w.manifest.eval.returns.value_or(w.summed.key);
    const bool each = !w.summed.group.empty() && named == w.summed.key;
    const bool leave = each && w.env_specs.find(join_keys(w.summed.group, "present")) != nullptr;
    return " Returns are sums of '" + named + "'" +
           (each ? ", the mean over the agents" + std::string(leave ? " who are present" : "") : "") +
           ", in training and in evaluations.";
}

std::string early_end_of(const Manifest& m) {
    std::string out;
    if (m.run.stop_at_return) {
        out = " The run ends early once the mean return of " +
              std::string(every(m.eval) > 0 ? "an evaluation" : "the last 100 training episodes") + " is at least " +
              short_number(*m.run.stop_at_return);
    }
    const auto or_after = [&] { return (out.empty() ? " The run ends early" : ", or") + std::string(" after "); };
    if (m.run.stop_at_episodes) {
        out += or_after() + counted(*m.run.stop_at_episodes, "training episode");
    }
    if (m.eval.patience > 0) {
        out += or_after() + counted(m.eval.patience, "evaluation") + " in a row without a better mean return";
    }
    return out.empty() ? "" : out + ".";
}

// The number of frames that a capacity in bytes holds.
std::string capacity_of(const Wiring& w) {
    const BufferTable* const ring = collecting_buffer(w.manifest);
    return ring == nullptr || ring->capacity.bytes == 0
               ? ""
               : " The " + ring->capacity.size + " of the buffer hold " + counted(buffer_frames(w), "frame") + ".";
}

// Which frames are kept, if not the newest ones.
std::string writer_of_buffer(const Wiring& w) {
    const BufferPlan* const buffer = w.collecting();
    if (buffer == nullptr || !buffer->keeps()) {
        return "";
    }
    const std::string frames = counted(buffer_frames(w), "frame");
    if (buffer->table->writer == "reservoir") {
        return " The buffer keeps a uniform sample of all frames that have been collected: " + frames + ".";
    }
    return " The buffer keeps the episodes with the largest sums of '" + buffer->table->writer_by + "', " + frames +
           " at most; episodes of more than " + counted(longest_kept(w), "step") +
           " are not kept, and nothing is learnt before the first one has ended.";
}

std::string kind_of_storage(const Wiring& w) {
    const StorageKind& kind = storage_kind(w);
    const std::string how = kind.explanation(storage_request(w));
    const std::string metric =
        kind.packs_rows() ? "; the metric " + std::string(metric::kBufferBytes) + " says what they take" : "";
    return how.empty() ? "" : " " + how + metric + ".";
}

std::string prefetch_of(const Wiring& w) {
    std::vector<std::string> names;
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.prefetches) {
            names.push_back(plan.unit.component);
        }
    }
    return names.empty() ? ""
                         : " Another thread prepares the next minibatch of " + listed(names) + " during an update" +
                               (only_learns(w.manifest) ? "." : "; the first one of a round waits for its frames.");
}

std::string lag_of(const Wiring& w) {
    if (const std::int64_t lag = w.lag() + (w.prefetches_batches() ? 1 : 0); lag > 0) {
        return " The parameters that act are those with which " +
               (lag == 1 ? "the previous round" : "the round " + std::to_string(lag) + " rounds before") + " began.";
    }
    if (!w.acts_by_version()) {
        return "";
    }
    const std::optional<std::int64_t> most = w.manifest.collector->max_lag;
    return most ? " After each " + counted(*most, "update") +
                      (w.collects_in_processes() ? " learning and collecting" : " both threads") +
                      " wait for each other, and the newest parameters act."
                : " The parameters that act are those with which the round began.";
}

// Which lanes are stepped when and by which process, unless all are stepped together in this one.
std::string lanes_of(const Wiring& w) {
    const SourceKind* const kind = source_kind(w);
    const std::string text = kind == nullptr ? "" : kind->explanation(w);
    return text.empty() ? "" : " " + text;
}

// Who computes the rewards of rows with goals in hindsight, if the env does.
std::string relabelling_of(const Wiring& w) {
    std::vector<std::string> samplers;
    for (const BufferPlan& buffer : w.buffers) {
        if (buffer.table->relabel_by == "env") {
            samplers.push_back(buffer.sampling.sampler);
        }
    }
    return samplers.empty() ? ""
                            : " Rows that " + listed(samplers) + " relabels get their reward and end from " +
                                  w.parts.training.env.info.name + ".";
}

std::string recorded_of(const Manifest& m) {
    return m.collector && m.collector->record
               ? " The whole episodes that are collected are written to " + *m.collector->record + " when the run ends."
               : "";
}

std::string evaluating_of(const Wiring& w) {
    const EvalTable& eval = w.manifest.eval;
    if (every(eval) == 0) {
        return {};
    }
    std::string out = eval.background ? " Evaluations are played on another thread with a copy of the weights; the "
                                        "result of one is taken when the next one is due."
                                      : "";
    const std::int64_t longest = longest_evaluated(w.manifest, w.episode_limit);
    if (longest > 0 && (eval.envs.empty() || eval.max_steps)) {
        out += " Evaluations cut off episodes after " + counted(longest, "step") + ".";
    }
    return out;
}

}  // namespace

std::string loop_of(const Wiring& w) {
    std::string out = rounds_of(w) + lanes_of(w) + shards_of(w) + early_end_of(w.manifest) + lag_of(w);
    for (const ObjectivePlan& plan : w.objectives) {
        out += burn_in_of(plan) + initial_memory_of(plan);
    }
    return out + capacity_of(w) + writer_of_buffer(w) + kind_of_storage(w) + prefetch_of(w) + relabelling_of(w) +
           recorded_of(w.manifest) + evaluating_of(w) + returns_of(w);
}

}  // namespace tenon
