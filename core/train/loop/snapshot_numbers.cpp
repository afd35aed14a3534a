// SPDX-License-Identifier: Apache-2.0
#include "train/loop/snapshot_numbers.hpp"

#include <algorithm>

#include "train/plan/weights.hpp"

namespace tenon {
namespace {

// 2 has the evaluations since the best one, 3 what hooks have moved, 4 the best evaluations
constexpr std::uint32_t kRunVersion = 4;
// 2 has a position of every unit, 3 frames that are collected async, 4 the part of a round and the versions that act
constexpr std::uint32_t kRoundVersion = 4;

void position_in_round(SavedFields& saved, UnitProgress::InRound& round) {
    saved.fields(round.due, round.epoch, round.minibatch, round.shuffled);
}

void unit_numbers(SavedFields& saved, UnitProgress& unit, bool stores) {
    saved.fields(unit.updates, unit.rounds);
    if (stores) {
        saved.fields(unit.stored);
    }
    saved.fields(unit.round.stopped);
    position_in_round(saved, unit.round);
}

void version_numbers(SavedFields& saved, ActingVersions& versions, RoundPart& part) {
    saved.fields(part.begun, part.steps, part.updates);
    for (std::int64_t& made : versions.updates) {
        saved.fields(made);
    }
    saved.fields(versions.behind);
}

// Version 1 has one position for all units.
void read_first_version(SavedFields& saved, RunProgress& progress) {
    UnitProgress::InRound only;
    saved.fields(only.stopped, progress.round.steps);
    position_in_round(saved, only);
    for (UnitProgress& unit : progress.units) {
        unit.updates = progress.standing.updates;
        unit.round = only;
    }
}

}  // namespace

void run_numbers(SavedFields& saved, Standing& s, SnapshotExtras& extras) {
    saved.section("run", kRunVersion, [&](std::uint32_t version) {
        saved.fields(s.frames, s.steps, s.updates, s.left_out, s.best_position, s.best_return);
        saved.fields(extras.executor, extras.graph, extras.records);
        saved.list(extras.scores, [&](Score& score) {
            saved.fields(score.return_mean, score.return_std, score.length_mean, score.episodes);
        });
        if (version >= 2) {
            saved.fields(s.since_best);
        }
        if (version >= 3) {
            saved.list(s.moved, [&](double& value) { saved.fields(value); });
        }
        if (version >= 4) {
            saved.list(s.ranked, [&](Ranked& one) { saved.fields(one.position, one.score); });
        } else {
            s.ranked.clear();
        }
        if (version < 4 && s.best_position >= 0) {
            s.ranked.push_back({.position = s.best_position, .score = s.best_return});
        }
    });
}

void mean_numbers(SavedFields& saved, Trainer& trainer) {
    saved.section("means", 1, [&](std::uint32_t) {
        for (LearningUnit& unit : trainer.units()) {
            for (auto* list : {&unit.means().losses, &unit.means().metrics, &unit.means().gradient_norms}) {
                for (Mean& mean : *list) {
                    saved.fields(mean.sum, mean.count);
                }
            }
        }
    });
}

void network_numbers(SavedFields& saved, Learner& learner) {
    saved.section("networks", 1, [&](std::uint32_t) {
        for (Network& network : learner.networks) {
            saved.same(network.layout.role, "has other networks than the manifest");
            saved.fields(network.steps, network.since_target);
        }
    });
    if (has_slab(learner, WeightSlab::kReference)) {
        saved.section("references", 1, [&](std::uint32_t) {
            for (Network& network : learner.networks) {
                saved.fields(network.since_reference);
            }
        });
    }
}

Status round_numbers(SavedFields& saved, Trainer& trainer, SnapshotExtras& extras, bool episodes) {
    RunProgress& progress = trainer.progress();
    RoundPosition& round = progress.round;
    saved.section("round", kRoundVersion, [&](std::uint32_t version) {
        saved.fields(extras.round_began, round.begun, round.collected);
        if (version < 2) {
            read_first_version(saved, progress);
        } else {
            saved.fields(round.steps);
            if (version >= 3) {
                saved.fields(round.frames);
            } else {
                round.frames = 0;
            }
            saved.fields(round.unit);
            for (std::size_t i = 0; i < progress.units.size(); ++i) {
                unit_numbers(saved, progress.units[i], trainer.units()[i].stores());
            }
        }
        if (version >= 4) {
            version_numbers(saved, progress.versions, round.part);
        } else {
            std::ranges::fill(progress.versions.updates, progress.standing.updates);
        }
    });
    BatchExtent* const extent = round.begun && episodes ? trainer.extent() : nullptr;
    return extent == nullptr || !saved.status() ? saved.status() : saved.part("batch", *extent);
}

}  // namespace tenon
