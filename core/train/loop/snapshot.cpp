// SPDX-License-Identifier: Apache-2.0
#include "train/loop/snapshot.hpp"

#include <algorithm>
#include <utility>

#include "base/data/state_stream.hpp"
#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "config/manifest/shards.hpp"
#include "experience/env/seeds.hpp"
#include "experience/replay/align.hpp"
#include "experience/replay/extend.hpp"
#include "train/checkpoint/bytes.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/checkpoint/kept_file.hpp"
#include "train/loop/snapshot_numbers.hpp"
#include "train/plan/named_frames.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/weights.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kPartsVersion = 5;  // version 4 and later contain a round, version 5 episodes of groups
constexpr const char* kParameters = "parameters.safetensors";
constexpr const char* kState = "state.bin";
constexpr const char* kWorkers = "workers.bin";        // the state of lanes in worker processes
constexpr const char* kTransforms = "transforms.bin";  // what transforms have learnt; only if some learn

struct SlabFile {
    const char* name;
    WeightSlab slab;
};
constexpr SlabFile kSlabs[] = {{kParameters, WeightSlab::kLive},
                               {"target.safetensors", WeightSlab::kTarget},
                               {"optimiser.safetensors", WeightSlab::kOptimiser},
                               {"reference.safetensors", WeightSlab::kReference},
                               {"behaviour.safetensors", WeightSlab::kBehaviour}};

// Calls f(name of a file, slab) for the slabs that the run has. The last two need not exist.
template <class F>
Status each_slab(const Learner& learner, F f) {
    for (const SlabFile& file : kSlabs) {
        const bool always = file.slab != WeightSlab::kReference && file.slab != WeightSlab::kBehaviour;
        TENON_TRY(always || has_slab(learner, file.slab) ? f(file.name, file.slab) : Status());
    }
    return {};
}

// Drops the parts of an interrupted round whose data are missing.
void leave_round(Trainer& trainer, bool buffer, bool env) {
    RoundPosition& round = trainer.progress().round;
    if (!buffer && (round.collected || trainer.collects_async())) {
        round = {};  // its updates would sample frames that are missing
    } else if (!env && trainer.extent() != nullptr && round.begun && !round.collected) {
        trainer.drop_batch();  // its episodes cannot be continued
    }
}

Status write_transforms(const Lanes& lanes, const std::filesystem::path& folder) {
    if (lanes.commons().empty()) {
        return {};
    }
    ByteWriter out;
    TENON_TRY(nested(out, "transforms", [&](const tn_writer& writer) { return lanes.save_common(writer); }));
    return out.write_to(folder / kTransforms);
}

Status write_storage(Trainer& trainer, const std::filesystem::path& folder) {
    TENON_TRY(trainer.source().fetch_to_host());
    Storage& storage = trainer.source().experience();
    align(storage);
    if (storage.backing().folder().empty()) {
        TENON_TRY(write_frames(storage, buffer_of(folder), specs_in_words(trainer.wiring().env_specs)));
    }
    TENON_TRY(storage.backing().save(storage, folder));
    return trainer.keeper() != nullptr ? write_kept(*trainer.keeper(), kept_of(folder)) : Status();
}

// The number of steps that are gone.
Result<std::uint64_t> restore_storage(Trainer& trainer, const std::filesystem::path& folder, Restored& out) {
    Storage& storage = trainer.source().experience();
    trainer.source().changed_on_host();
    const std::filesystem::path own_folder = storage.backing().folder();
    if (own_folder.empty()) {
        TENON_TRY(restore_frames(storage, buffer_of(folder)));
    }
    const std::uint64_t gone = TENON_TRY(storage.backing().restore(storage, folder));
    if (trainer.keeper() != nullptr) {
        TENON_TRY(restore_kept(*trainer.keeper(), kept_of(folder)));
    }
    if (gone > 0) {
        out.notices.push_back(
            "the buffer in " + own_folder.string() + " has overwritten its oldest " + counted(gone, "step") +
            " since the checkpoint: the run continues without these frames, its samplers start again, "
            "and it is not identical");
    }
    return gone;
}

// Which parts of a run a checkpoint has.
struct SavedParts {
    bool buffer = false;
    bool env = false;
    bool samplers = true;  // otherwise they choose rows that are gone, and their state is skipped
};

// The rows that histories have before the first frame.
struct EarlierRows {
    std::span<const Slab> rows;

    [[nodiscard]] Status save(const tn_writer& writer) const {
        StateSink sink(writer);
        std::ranges::for_each(rows, [&](const Slab& slab) { sink.bytes(slab.data(), slab.size()); });
        return sink.status("the histories");
    }
    [[nodiscard]] Status load(const tn_reader& reader) const {
        StateSource source(reader);
        std::ranges::for_each(rows, [&](const Slab& slab) { source.bytes(slab.data(), slab.size()); });
        return source.status("the histories");
    }
};

Status group_episodes(SavedFields& saved, Trainer& trainer) {
    for (Episodes& group : trainer.source().episodes_of_groups()) {
        TENON_TRY(saved.part("episodes", group));
    }
    return {};
}

// What is saved after the frames and the env.
Status late_parts(SavedFields& saved, Trainer& trainer, const SavedParts& parts) {
    if (EarlierRows earlier{trainer.source().experience().earlier_rows()}; parts.buffer && !earlier.rows.empty()) {
        TENON_TRY(saved.part("histories", earlier));
    }
    if (ProceduralPolicy* policy = trainer.source().procedure(); parts.buffer && policy != nullptr) {
        TENON_TRY(saved.part("policy", *policy));
    }
    for (LearningUnit& unit : trainer.units()) {
        for (Feed& feed : unit.feeds()) {
            if (parts.buffer && parts.samplers) {
                TENON_TRY(saved.part("sampler", feed.sampler));
            } else if (parts.buffer) {
                saved.skip("sampler");
            }
        }
    }
    if (Memories* memories = trainer.source().memories(); parts.env && memories != nullptr) {
        TENON_TRY(saved.part("memories", *memories));
    }
    if (ParameterNoise* noise = trainer.parameter_noise(); noise != nullptr) {
        TENON_TRY(saved.part("noise", *noise));
    }
    return trainer.hooks().any() ? saved.part("hooks", trainer.hooks(), trainer) : Status();
}

Status write_state(Trainer& trainer, SnapshotExtras extras, bool buffer, const std::filesystem::path& folder) {
    ByteWriter out;
    SavedFields saved(out);
    run_numbers(saved, trainer.standing(), extras);
    mean_numbers(saved, trainer);
    network_numbers(saved, trainer.learner());
    TENON_TRY(saved.part("episodes", trainer.source().episodes()));
    SavedParts parts{.buffer = buffer, .env = trainer.source().why_unsaved().empty() && buffer};
    const bool of_groups = !trainer.source().episodes_of_groups().empty();
    saved.section("parts", of_groups ? kPartsVersion : kPartsVersion - 1,
                  [&](std::uint32_t) { saved.fields(parts.buffer, parts.env); });
    TENON_TRY(group_episodes(saved, trainer));
    TENON_TRY(round_numbers(saved, trainer, extras));
    TENON_TRY(buffer ? write_storage(trainer, folder) : Status());
    if (parts.env && !trainer.source().saves_apart()) {
        TENON_TRY(trainer.source().save(out));
    }
    TENON_TRY(late_parts(saved, trainer, parts));
    return out.write_to(folder / kState);
}

// New episodes, from seeds that the run has not used before.
Status begin_anew(Trainer& trainer) {
    const auto round = static_cast<std::uint32_t>(trainer.standing().steps);
    FrameSource& source = trainer.source();
    return source.reset(lane_seeds(make_key(trainer.wiring().seed(), "env"), source.lane_count(), round,
                                   first_lane(trainer.wiring().manifest))
                            .data());
}

void lose_frames(Trainer& trainer) {
    trainer.source().experience().clear();
    if (trainer.keeper() != nullptr) {
        trainer.keeper()->clear();
    }
    std::ranges::for_each(trainer.progress().units, [](UnitProgress& unit) { unit.stored = 0; });
}

Status read_state(Trainer& trainer, const std::filesystem::path& folder, bool frames_anew, Restored& out) {
    ByteReader in = TENON_TRY(ByteReader::open(folder / kState));
    SavedFields saved(in);
    run_numbers(saved, trainer.standing(), out.extras);
    mean_numbers(saved, trainer);
    network_numbers(saved, trainer.learner());
    if (frames_anew) {
        saved.skip("episodes");
    } else {
        TENON_TRY(saved.part("episodes", trainer.source().episodes()));
    }
    SavedParts parts;
    bool has_round = false;
    bool of_groups = false;
    saved.section("parts", kPartsVersion, [&](std::uint32_t version) {
        saved.fields(parts.buffer, parts.env);
        has_round = version >= 4;
        of_groups = version >= 5;
    });
    TENON_TRY(in.status());
    if (trainer.standing().moved.size() != trainer.wiring().live.moved.size()) {
        return input_problem("the checkpoint is of a run whose hooks move other options than those of this run");
    }
    for (std::size_t i = 0; of_groups && frames_anew && i < trainer.source().episodes_of_groups().size(); ++i) {
        saved.skip("episodes");
    }
    TENON_TRY(of_groups && !frames_anew ? group_episodes(saved, trainer) : Status());
    TENON_TRY(has_round ? round_numbers(saved, trainer, out.extras, !frames_anew) : Status());
    if (frames_anew) {
        trainer.progress().round = {};
        out.extras.round_began = -1;
        lose_frames(trainer);
        trainer.move_schedules();
        return begin_anew(trainer);
    }
    if (parts.buffer) {
        const std::uint64_t gone = TENON_TRY(restore_storage(trainer, folder, out));
        parts.samplers = gone == 0;
    }
    if (parts.env && trainer.source().saves_apart()) {
        ByteReader lanes = TENON_TRY(ByteReader::open(folder / kWorkers));
        TENON_TRY(trainer.source().load(lanes));
    } else if (parts.env) {
        TENON_TRY(trainer.source().load(in));
    }
    TENON_TRY(late_parts(saved, trainer, parts));
    for (const std::string& part : without_state(trainer)) {
        out.notices.push_back(part + " cannot save its state: it begins with a new state");
    }
    if (!parts.buffer) {
        lose_frames(trainer);
        const BufferPlan* const ring = trainer.wiring().collecting();
        if (ring != nullptr && !ring->table->init.empty() && !begins_in_place(*ring->table)) {
            const TransformedFrames frames = TENON_TRY(read_initial_frames(trainer.wiring(), *ring));
            start_with(trainer.source().experience(), frames.storage);
        }
        const std::string own = "the checkpoint has no buffer (checkpoint.buffer = false): the run continues with ";
        out.notices.push_back(
            own + (trainer.source().experience().view().total == 0 ? "an empty one" : "that of buffer.init"));
    } else if (!parts.env) {
        out.notices.push_back(trainer.source().why_unsaved());
    }
    trainer.move_schedules();
    leave_round(trainer, parts.buffer, parts.env);
    return parts.env ? Status() : begin_anew(trainer);
}

}  // namespace

Status save(Trainer& trainer, const SnapshotExtras& extras, bool buffer, const std::filesystem::path& folder) {
    const bool storage =
        buffer || trainer.wiring().collecting() == nullptr;  // between batches it holds only observations
    if (trainer.source().saves_apart() && storage && trainer.source().why_unsaved().empty()) {
        ByteWriter out;
        TENON_TRY(trainer.source().save(out));
        TENON_TRY(out.write_to(folder / kWorkers));
    }
    TENON_TRY(each_slab(trainer.learner(), [&](const char* name, WeightSlab slab) {
        return write_weights(folder / name, trainer.learner(), slab);
    }));
    TENON_TRY(write_transforms(trainer.source().lanes(), folder));
    return write_state(trainer, extras, storage, folder);
}

Status save_scored(Learner& learner, std::span<const std::byte> transforms, const Standing& standing,
                   const std::string& executor, const std::filesystem::path& folder, const std::string& prefix) {
    TENON_TRY(write_weights(folder / (prefix + kParameters), learner, WeightSlab::kLive));
    if (!transforms.empty()) {
        ByteWriter out;
        out.begin("transforms", 1);
        out.raw(transforms.data(), transforms.size());
        out.end();
        TENON_TRY(out.write_to(folder / (prefix + kTransforms)));
    }
    ByteWriter state;
    SavedFields saved(state);
    SnapshotExtras extras;
    extras.executor = executor;
    Standing position = standing;
    run_numbers(saved, position, extras);
    return state.write_to(folder / (prefix + kState));
}

std::vector<std::string> without_state(Trainer& trainer) {
    std::vector<std::string> out;
    const auto add = [&](bool saves, const std::string& name) {
        if (!saves && std::ranges::find(out, name) == out.end()) {
            out.push_back(name);
        }
    };
    if (ProceduralPolicy* const policy = trainer.source().procedure()) {
        add(policy->callee().state != nullptr, policy->callee().name);
    }
    for (LearningUnit& unit : trainer.units()) {
        for (const Feed& feed : unit.feeds()) {
            add(feed.sampler.saves_state(), feed.sampler.name());
        }
    }
    for (const std::string& hook : trainer.hooks().without_state()) {
        add(false, hook);
    }
    return out;
}

std::filesystem::path folder_of_shard(const std::filesystem::path& checkpoint, std::size_t shard) {
    return shard == 0 ? checkpoint : checkpoint / ("shard-" + std::to_string(shard));
}

std::size_t shards_of(const std::filesystem::path& checkpoint) {
    std::size_t out = 1;
    for (std::error_code code; std::filesystem::is_directory(folder_of_shard(checkpoint, out), code);) {
        ++out;
    }
    return out;
}

Result<Restored> restore(Trainer& trainer, const std::filesystem::path& folder, bool frames_anew) {
    Restored out;
    TENON_TRY(each_slab(trainer.learner(), [&](const char* name, WeightSlab slab) {
        return read_weights(folder / name, trainer.learner(), slab);
    }));
    TENON_TRY(restore_transforms(trainer.source().lanes(), folder));
    TENON_TRY(read_state(trainer, folder, frames_anew, out));
    return out;
}

Status restore_transforms(Lanes& lanes, const std::filesystem::path& folder, const std::string& prefix) {
    const std::filesystem::path file = folder / (prefix + kTransforms);
    std::error_code code;
    if (lanes.commons().empty() || !std::filesystem::exists(file, code)) {
        return {};
    }
    ByteReader in = TENON_TRY(ByteReader::open(file));
    return nested(in, "transforms", [&](const tn_reader& reader) { return lanes.load_common(reader); });
}

Result<Origin> origin_of(const std::filesystem::path& folder, const std::string& prefix) {
    ByteReader in = TENON_TRY(ByteReader::open(folder / (prefix + kState)));
    Origin out;
    SnapshotExtras extras;
    SavedFields saved(in);
    run_numbers(saved, out.standing, extras);
    out.executor = std::move(extras.executor);
    TENON_TRY(in.status());
    return out;
}

Status restore_weights(Learner& learner, const std::filesystem::path& folder, const std::string& prefix) {
    Status done = read_weights(folder / (prefix + kParameters), learner, WeightSlab::kLive);
    std::for_each(learner.networks.begin(), learner.networks.end(), copy_live);
    return done;
}

}  // namespace tenon
