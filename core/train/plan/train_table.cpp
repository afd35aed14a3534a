// SPDX-License-Identifier: Apache-2.0
#include "train/plan/train_table.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error/listed.hpp"
#include "config/manifest/pace.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Where a key was given: in the objective's own table, or in [train].
std::string path_of_key(const Manifest& m, const ObjectiveTable& objective, const char* key) {
    const std::string own = objective.component.path + "." + key;
    return m.given.contains(own) ? own : std::string("train.") + key;
}

// Sizes that must divide each other.
void check_division(const Manifest& m, const ObjectiveTable& objective, Problems& problems) {
    const TrainTable t = train_of(m, objective);
    const std::string shuffle = t.shuffle.value_or("frames");
    const std::int64_t steps = t.batch / m.env.lanes;
    const auto complain = [&](const char* key, std::int64_t value, const std::string& why) {
        const std::string path = path_of_key(m, objective, key);
        problems.push_back(input_problem(path + " is " + std::to_string(value) + ", " + why, place_of(m, path)));
    };
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
                 "which does not divide the " + counted(steps, "step") + " that each lane collects for a batch");
    } else if (t.minibatch > t.batch) {
        complain("minibatch", t.minibatch, "more than the " + counted(t.batch, "frame") + " of train.batch");
    } else if (t.minibatch % unit != 0) {
        complain("minibatch", t.minibatch,
                 "which is not a multiple of the " + std::to_string(unit) +
                     " steps of a sequence (train.shuffle is \"" + shuffle + "\")");
    }
}

}  // namespace

bool learns_by_batch(const Manifest& manifest, const ObjectiveTable& objective) {
    return !objective.buffer && collecting_buffer(manifest) == nullptr;
}

TrainTable train_of(const Manifest& manifest, const ObjectiveTable& objective) {
    TrainTable out = manifest.train;
    out.minibatch = objective.minibatch.value_or(out.minibatch);
    if (objective.epochs) {
        out.epochs = objective.epochs;
    }
    if (objective.updates_per_batch || objective.updates_per_frame) {
        out.updates_per_batch = objective.updates_per_batch;
        out.updates_per_frame = objective.updates_per_frame;
    }
    return out;
}

std::vector<BatchPlan> batches_of(const Manifest& manifest, const ObjectiveTable& objective) {
    const auto index_of = [&](const std::string& name) -> std::optional<std::size_t> {
        const BufferTable* const found = find_buffer(manifest, name);
        return found == nullptr ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - manifest.buffers.data()));
    };
    const BufferTable* const ring = collecting_buffer(manifest);
    BatchPlan own;
    if (objective.buffer || ring != nullptr) {
        own.buffer = index_of(objective.buffer ? *objective.buffer : ring->name);
    }
    std::vector<BatchPlan> out = {std::move(own)};
    for (const BatchTable& batch : objective.batches) {
        out.push_back({batch.name + ".", index_of(batch.buffer)});
    }
    return out;
}

bool sizes_are_known(const Manifest& manifest) {
    constexpr std::string_view kSizes[] = {"env.lanes",       "train.batch",        "train.episodes",
                                           "train.minibatch", "train.burn_in",      "train.initial_memory",
                                           "train.shuffle",   "train.slice_length", "buffer.capacity"};
    return std::ranges::none_of(kSizes, [&](std::string_view key) { return manifest.refused.contains(key); });
}

void check_train(const Wiring& wiring, Problems& problems) {
    const Manifest& m = wiring.manifest;
    const TrainTable& t = m.train;
    check_given_parts(m, problems);
    if (m.env.lanes < 1) {
        return;  // a missing [env] has been reported
    }
    const bool sized = sizes_are_known(m);
    if (sized && t.episodes && *t.episodes % m.env.lanes != 0) {
        problems.push_back(input_problem("train.episodes is " + std::to_string(*t.episodes) + ", which " +
                                             std::to_string(m.env.lanes) +
                                             " lanes cannot share evenly; make it a multiple of env.lanes",
                                         place_of(m, "train.episodes")));
        return;
    }
    if (sized && !t.episodes && t.batch % m.env.lanes != 0) {
        problems.push_back(input_problem("train.batch is " + std::to_string(t.batch) + ", which " +
                                             std::to_string(m.env.lanes) +
                                             " lanes cannot collect in whole steps; make it a multiple of env.lanes",
                                         place_of(m, "train.batch")));
        return;
    }
    for (const ObjectiveTable& objective : m.objectives) {
        if (sized && learns_by_batch(m, objective) && !only_learns(m)) {
            check_division(m, objective, problems);
        }
    }
}

void check_episodes(const Wiring& w, const std::string& env, Problems& problems) {
    const Manifest& m = w.manifest;
    if (!m.train.episodes ||
        std::ranges::none_of(m.objectives, [&](const ObjectiveTable& one) { return learns_by_batch(m, one); }) ||
        !sizes_are_known(m)) {
        return;
    }
    const std::int64_t limit = w.episode_limit;
    const double most = static_cast<double>(*m.train.episodes) * static_cast<double>(limit);
    if (limit == 0) {
        problems.push_back(
            input_problem("train.episodes needs episodes with a limit of steps, but " + env + " has none",
                          place_of(m, "train.episodes"), "collect a fixed number of frames instead: train.batch"));
    } else if (most > 2147483647.0) {
        problems.push_back(input_problem("train.episodes is " + std::to_string(*m.train.episodes) +
                                             ", which may be more than " + "2147483647 frames: an episode of " + env +
                                             " has " + counted(limit, "step") + " at most",
                                         place_of(m, "train.episodes")));
    } else if (static_cast<double>(m.train.minibatch) > most) {
        problems.push_back(input_problem("train.minibatch is " + std::to_string(m.train.minibatch) +
                                             ", more than the " + counted(*m.train.episodes * limit, "frame") +
                                             " that train.episodes can give",
                                         place_of(m, "train.minibatch"), "lower it, or raise train.episodes"));
    }
}

void check_burn_in(const Wiring& w, const ObjectivePlan& plan, std::int64_t length, Problems& problems) {
    const std::int64_t burn_in = plan.train.burn_in;
    if (length > 0 && burn_in >= length && sizes_are_known(w.manifest)) {
        problems.push_back(input_problem("train.burn_in is " + std::to_string(burn_in) +
                                             ", which leaves nothing of sequences of " + counted(length, "step") +
                                             " to learn from",
                                         place_of(w.manifest, "train.burn_in")));
    }
}

}  // namespace tenon
