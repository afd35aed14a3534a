// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/pace.hpp"

#include <algorithm>
#include <string>

namespace tenon {
namespace {

void refuse(const Manifest& manifest, const std::string& path, const std::string& why, Problems& problems) {
    if (manifest.given.contains(path)) {
        problems.push_back(input_problem(path + " " + why, place_of(manifest, path)));
    }
}

template <class Table>
void complete(const Manifest& manifest, const std::string& path, Table& table, Problems& problems) {
    if (!only_learns(manifest)) {
        refuse(
            manifest, path + ".every_updates",
            "is for runs that only learn (train.total_updates), but this one collects: use " + path + ".every_frames",
            problems);
        return;
    }
    refuse(manifest, path + ".every_frames",
           "is for runs that collect, but this one only learns (train.total_updates): use " + path + ".every_updates",
           problems);
    table.every_updates = every(table);
    table.every_frames.reset();
}

void check_only_learning(const Manifest& manifest, Problems& problems) {
    for (const char* path : {"run.total_frames", "run.stop_at_episodes", "train.batch", "train.episodes",
                             "train.start_frames", "train.updates_per_batch", "train.updates_per_frame"}) {
        refuse(manifest, path, "is for runs that collect, but this one only learns (train.total_updates)", problems);
    }
    if (manifest.parameter_noise) {
        problems.push_back(
            input_problem("[parameter_noise] is for runs that collect, but this one only learns "
                          "(train.total_updates)",
                          place_of(manifest, "parameter_noise")));
    }
    if (manifest.collector) {
        problems.push_back(
            input_problem("[collector] is for runs that collect, but this one only learns (train.total_updates)",
                          place_of(manifest, "collector")));
    }
    if (manifest.exploration) {
        problems.push_back(input_problem(
            "[exploration] changes actions while data is collected, but this run only learns (train.total_updates)",
            place_of(manifest, "exploration")));
    }
    const auto need = [&](bool is_given, const std::string& what) {
        if (!is_given) {
            problems.push_back(
                input_problem("train.total_updates makes this a run that only learns, which needs " + what,
                              place_of(manifest, "train.total_updates")));
        }
    };
    need(!manifest.objectives.empty(), "an [objective]");
    const auto has_frames = [](const BufferTable& buffer) {
        return !buffer.init.empty() || (!buffer.collects && !buffer.path.empty());
    };
    need(std::ranges::any_of(manifest.buffers, has_frames), "a [buffer] whose init names the source of its frames");
    if (manifest.run.stop_at_return && every(manifest.eval) == 0) {
        problems.push_back(
            input_problem("run.stop_at_return needs evaluations in a run that only learns: give "
                          "eval.every_updates",
                          place_of(manifest, "run.stop_at_return")));
    }
}

}  // namespace

void complete_pace(Manifest& manifest, Problems& problems) {
    complete(manifest, "eval", manifest.eval, problems);
    complete(manifest, "log", manifest.log, problems);
    complete(manifest, "checkpoint", manifest.checkpoint, problems);
    if (manifest.eval.background && manifest.eval.video) {
        problems.push_back(input_problem(
            "eval.video films the policy of a checkpoint, but with eval.background its evaluation comes later",
            place_of(manifest, "eval.video"), "film a checkpoint: tenon play RUN --video FILE"));
    }
    if (manifest.eval.background && every(manifest.eval) == 0) {
        problems.push_back(input_problem("eval.background is for evaluations, but this run has none: give eval.every_" +
                                             std::string(unit_of(manifest)) + "s",
                                         place_of(manifest, "eval.background")));
    }
    if (manifest.eval.patience > 0 && every(manifest.eval) == 0) {
        problems.push_back(input_problem("eval.patience counts evaluations, but this run has none: give eval.every_" +
                                             std::string(unit_of(manifest)) + "s",
                                         place_of(manifest, "eval.patience")));
    }
    if (only_learns(manifest)) {
        check_only_learning(manifest, problems);
    }
}

}  // namespace tenon
