// SPDX-License-Identifier: Apache-2.0
#include "train/loop/snapshot_numbers.hpp"

#include <algorithm>
#include <utility>

#include "train/checkpoint/nested.hpp"
#include "train/plan/weights.hpp"

namespace tenon {
namespace {

// 2 has the evaluations since the best one, 3 what hooks have moved, 4 the best evaluations
constexpr std::uint32_t kRunVersion = 4;
// 2 has a position of every unit, 3 frames beside learning, 4 the part of a round and the versions that act
constexpr std::uint32_t kRoundVersion = 4;

void write_versions(ByteWriter& out, const ActingVersions& versions, const RoundPart& part) {
    out.boolean(part.begun);
    out.number(part.steps);
    out.number(part.updates);
    for (const std::int64_t made : versions.updates) {
        out.number(made);
    }
    out.number(versions.behind);
}

void read_versions(ByteReader& in, ActingVersions& versions, RoundPart& part) {
    part.begun = in.boolean();
    part.steps = in.number<std::int64_t>();
    part.updates = in.number<std::int64_t>();
    for (std::int64_t& made : versions.updates) {
        made = in.number<std::int64_t>();
    }
    versions.behind = in.number<std::int64_t>();
}

void write_unit(ByteWriter& out, const UnitProgress& unit, bool stores) {
    out.number(unit.updates);
    out.number(unit.rounds);
    if (stores) {
        out.number(unit.stored);
    }
    out.boolean(unit.round.stopped);
    for (const std::int64_t number : {unit.round.due, unit.round.epoch, unit.round.minibatch, unit.round.shuffled}) {
        out.number(number);
    }
}

void read_numbers(ByteReader& in, UnitProgress::InRound& round) {
    for (std::int64_t* const number : {&round.due, &round.epoch, &round.minibatch, &round.shuffled}) {
        *number = in.number<std::int64_t>();
    }
}

void read_unit(ByteReader& in, UnitProgress& unit, bool stores) {
    unit.updates = in.number<std::int64_t>();
    unit.rounds = in.number<std::int64_t>();
    if (stores) {
        unit.stored = in.number<std::uint64_t>();
    }
    unit.round.stopped = in.boolean();
    read_numbers(in, unit.round);
}

}  // namespace

void write_run(ByteWriter& out, const Standing& s, const SnapshotExtras& extras) {
    out.begin("run", kRunVersion);
    for (const std::int64_t number : {s.frames, s.steps, s.updates, s.left_out, s.best_position}) {
        out.number(number);
    }
    out.number(s.best_return);
    out.text(extras.executor);
    out.text(extras.graph);
    out.number(extras.records);
    out.number(static_cast<std::uint64_t>(extras.scores.size()));
    for (const Score& score : extras.scores) {
        out.number(score.return_mean);
        out.number(score.return_std);
        out.number(score.length_mean);
        out.number(score.episodes);
    }
    out.number(s.since_best);
    out.number(static_cast<std::uint64_t>(s.moved.size()));
    for (const double value : s.moved) {
        out.number(value);
    }
    out.number(static_cast<std::uint64_t>(s.ranked.size()));
    for (const Ranked& one : s.ranked) {
        out.number(one.position);
        out.number(one.score);
    }
    out.end();
}

void write_standing(ByteWriter& out, const Trainer& trainer, const SnapshotExtras& extras) {
    write_run(out, trainer.standing(), extras);
    out.begin("means", 1);
    for (const LearningUnit& unit : std::as_const(trainer).units()) {
        const UpdateMeans& means = unit.means();
        for (const auto* list : {&means.losses, &means.metrics, &means.gradient_norms}) {
            for (const Mean& mean : *list) {
                out.number(mean.sum);
                out.number(mean.count);
            }
        }
    }
    out.end();
}

void read_run(ByteReader& in, Standing& s, SnapshotExtras& extras) {
    const std::uint32_t version = in.enter("run", kRunVersion);
    for (std::int64_t* number : {&s.frames, &s.steps, &s.updates, &s.left_out, &s.best_position}) {
        *number = in.number<std::int64_t>();
    }
    s.best_return = in.number<double>();
    extras.executor = in.text();
    extras.graph = in.text();
    extras.records = in.number<std::uint64_t>();
    for (auto left = in.number<std::uint64_t>(); left > 0 && in.status(); --left) {
        Score& score = extras.scores.emplace_back();
        score.return_mean = in.number<double>();
        score.return_std = in.number<double>();
        score.length_mean = in.number<double>();
        score.episodes = in.number<std::int64_t>();
    }
    if (version >= 2) {
        s.since_best = in.number<std::int64_t>();
    }
    if (version >= 3) {
        s.moved.clear();
        for (auto left = in.number<std::uint64_t>(); left > 0 && in.status(); --left) {
            s.moved.push_back(in.number<double>());
        }
    }
    s.ranked.clear();
    if (version >= 4) {
        for (auto left = in.number<std::uint64_t>(); left > 0 && in.status(); --left) {
            const auto position = in.number<std::int64_t>();
            s.ranked.push_back({.position = position, .score = in.number<double>()});
        }
    } else if (s.best_position >= 0) {
        s.ranked.push_back({.position = s.best_position, .score = s.best_return});
    }
    in.leave();
}

void read_standing(ByteReader& in, Trainer& trainer, SnapshotExtras& extras) {
    read_run(in, trainer.standing(), extras);
    in.enter("means", 1);
    for (LearningUnit& unit : trainer.units()) {
        for (auto* list : {&unit.means().losses, &unit.means().metrics, &unit.means().gradient_norms}) {
            for (Mean& mean : *list) {
                mean.sum = in.number<double>();
                mean.count = in.number<std::int64_t>();
            }
        }
    }
    in.leave();
}

void write_networks(ByteWriter& out, const Learner& learner) {
    out.begin("networks", 1);
    for (const Network& network : learner.networks) {
        out.text(network.layout.role);
        out.number(network.steps);
        out.number(network.since_target);
    }
    out.end();
    if (has_slab(learner, WeightSlab::kReference)) {
        out.begin("references", 1);
        for (const Network& network : learner.networks) {
            out.number(network.since_reference);
        }
        out.end();
    }
}

void read_networks(ByteReader& in, Learner& learner) {
    in.enter("networks", 1);
    for (Network& network : learner.networks) {
        if (in.text() != network.layout.role) {
            in.fail("has other networks than the manifest");
        }
        network.steps = in.number<std::int64_t>();
        network.since_target = in.number<std::int64_t>();
    }
    in.leave();
    if (has_slab(learner, WeightSlab::kReference)) {
        in.enter("references", 1);
        for (Network& network : learner.networks) {
            network.since_reference = in.number<std::int64_t>();
        }
        in.leave();
    }
}

Status write_round(ByteWriter& out, Trainer& trainer, const SnapshotExtras& extras) {
    const RunProgress& progress = trainer.progress();
    const RoundPosition& round = progress.round;
    out.begin("round", kRoundVersion);
    out.number(extras.round_began);
    out.boolean(round.begun);
    out.boolean(round.collected);
    out.number(round.steps);
    out.number(round.frames);
    out.number(static_cast<std::uint64_t>(round.unit));
    for (std::size_t i = 0; i < progress.units.size(); ++i) {
        write_unit(out, progress.units[i], trainer.units()[i].stores());
    }
    write_versions(out, progress.versions, round.part);
    out.end();
    const BatchExtent* const extent = round.begun ? trainer.extent() : nullptr;
    return extent == nullptr ? Status()
                             : nested(out, "batch", [&](const tn_writer& writer) { return extent->save(writer); });
}

Status read_round(ByteReader& in, Trainer& trainer, SnapshotExtras& extras) {
    RunProgress& progress = trainer.progress();
    RoundPosition& round = progress.round;
    const std::uint32_t version = in.enter("round", kRoundVersion);
    extras.round_began = in.number<std::int64_t>();
    round.begun = in.boolean();
    round.collected = in.boolean();
    if (version >= 2) {
        round.steps = in.number<std::int64_t>();
        round.frames = version >= 3 ? in.number<std::int64_t>() : 0;
        round.unit = static_cast<std::size_t>(in.number<std::uint64_t>());
        for (std::size_t i = 0; i < progress.units.size(); ++i) {
            read_unit(in, progress.units[i], trainer.units()[i].stores());
        }
    } else {
        UnitProgress::InRound only{.stopped = in.boolean()};
        round.steps = in.number<std::int64_t>();
        read_numbers(in, only);
        for (UnitProgress& unit : progress.units) {
            unit.updates = progress.standing.updates;
            unit.round = only;
        }
    }
    if (version >= 4) {
        read_versions(in, progress.versions, round.part);
    } else {
        std::ranges::fill(progress.versions.updates, progress.standing.updates);
    }
    in.leave();
    BatchExtent* const extent = round.begun ? trainer.extent() : nullptr;
    return extent == nullptr || !in.status()
               ? in.status()
               : nested(in, "batch", [&](const tn_reader& reader) { return extent->load(reader); });
}

}  // namespace tenon
