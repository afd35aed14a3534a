// SPDX-License-Identifier: Apache-2.0
#include "train/loop/snapshot.hpp"

#include <algorithm>
#include <utility>

#include "base/error/listed.hpp"
#include "base/file/read.hpp"
#include "base/file/sync.hpp"
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "experience/replay/extend.hpp"
#include "experience/replay/lane_rings.hpp"
#include "experience/replay/storage_on_disk.hpp"
#include "train/checkpoint/bytes.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/checkpoint/kept_file.hpp"
#include "train/checkpoint/nested.hpp"
#include "train/checkpoint/packed_file.hpp"
#include "train/checkpoint/ring_file.hpp"
#include "train/loop/snapshot_numbers.hpp"
#include "train/plan/named_frames.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/weights.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kPartsVersion = 4;  // version 4 and later contain a round
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

// The last two exist only if the run has such slabs.
bool has_file(const SlabFile& file, const Learner& learner) {
    const bool always = file.slab != WeightSlab::kReference && file.slab != WeightSlab::kBehaviour;
    return always || has_slab(learner, file.slab);
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

Status write_bytes(const ByteWriter& out, const std::filesystem::path& file) {
    const auto bytes = out.bytes();
    return write_and_sync(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Of lanes whose state is a file of its own.
Status write_lanes(FrameSource& source, const std::filesystem::path& folder) {
    ByteWriter out;
    TENON_TRY(source.save(out));
    return write_bytes(out, folder / kWorkers);
}

Status restore_lanes(FrameSource& source, const std::filesystem::path& folder) {
    const std::string bytes = TENON_TRY(read_file(folder / kWorkers));
    ByteReader in(std::as_bytes(std::span(bytes)), (folder / kWorkers).string());
    return source.load(in);
}

Status write_transforms(const Lanes& lanes, const std::filesystem::path& folder) {
    if (lanes.commons().empty()) {
        return {};
    }
    ByteWriter out;
    Status done = nested(out, "transforms", [&](const tn_writer& writer) { return lanes.save_common(writer); });
    return done ? write_bytes(out, folder / kTransforms) : done;
}

// Frames on a disk stay there; the checkpoint says which they are.
Status write_storage(Trainer& trainer, const std::filesystem::path& folder) {
    TENON_TRY(trainer.source().fetch_to_host());
    Storage& storage = trainer.source().experience();
    align(storage);
    if (storage.disk() == nullptr) {
        Status done = write_frames(storage, buffer_of(folder), specs_in_words(trainer.wiring().env_specs));
        if (done && storage.packed() != nullptr) {
            done = write_packed(storage, packed_of(folder));
        }
        return done && trainer.keeper() != nullptr ? write_kept(*trainer.keeper(), kept_of(folder)) : done;
    }
    storage.mark();
    Status done = storage.disk()->files().sync();
    return done ? write_ring(storage, ring_of(folder)) : done;
}

// The number of steps that are gone.
Result<std::uint64_t> restore_storage(Trainer& trainer, const std::filesystem::path& folder, Restored& out) {
    Storage& storage = trainer.source().experience();
    trainer.source().changed_on_host();
    if (storage.disk() == nullptr) {
        Status done = restore_frames(storage, buffer_of(folder));
        if (done && storage.packed() != nullptr) {
            done = restore_packed(storage, packed_of(folder));
        }
        if (done && trainer.keeper() != nullptr) {
            done = restore_kept(*trainer.keeper(), kept_of(folder));
        }
        return done ? Result<std::uint64_t>(0) : Result<std::uint64_t>(std::move(done).error());
    }
    Result<std::uint64_t> gone = restore_ring(storage, ring_of(folder));
    if (gone && *gone > 0) {
        out.notices.push_back("the buffer in " + storage.disk()->files().folder().string() +
                              " has overwritten its oldest " + counted(*gone, "step") +
                              " since the checkpoint: the run continues without these frames, its samplers begin anew, "
                              "and it is not identical");
    }
    return gone;
}

Status write_state(Trainer& trainer, const SnapshotExtras& extras, bool buffer, const std::filesystem::path& folder) {
    ByteWriter out;
    write_standing(out, trainer, extras);
    write_networks(out, trainer.learner());
    Status done =
        nested(out, "episodes", [&](const tn_writer& writer) { return trainer.source().episodes().save(writer); });
    const bool env = trainer.source().why_unsaved().empty() && buffer;
    out.begin("parts", kPartsVersion);
    out.boolean(buffer);
    out.boolean(env);
    out.end();
    if (done) {
        done = write_round(out, trainer, extras);
    }
    if (done && buffer) {
        done = write_storage(trainer, folder);
    }
    if (done && env && !trainer.source().saves_apart()) {
        done = trainer.source().save(out);
    }
    if (ProceduralPolicy* policy = trainer.source().procedure(); done && buffer && policy != nullptr) {
        done = nested(out, "policy", [&](const tn_writer& writer) { return policy->save(writer); });
    }
    for (LearningUnit& unit : trainer.units()) {
        for (Feed& feed : unit.feeds()) {
            if (done && buffer) {
                done = nested(out, "sampler", [&](const tn_writer& writer) { return feed.sampler.save(writer); });
            }
        }
    }
    if (const Memories* memories = trainer.source().memories(); done && env && memories != nullptr) {
        done = nested(out, "memories", [&](const tn_writer& writer) { return memories->save(writer); });
    }
    if (const ParameterNoise* noise = trainer.parameter_noise(); done && noise != nullptr) {
        done = nested(out, "noise", [&](const tn_writer& writer) { return noise->save(writer); });
    }
    if (done && trainer.hooks().any()) {
        done = nested(out, "hooks", [&](const tn_writer& writer) { return trainer.hooks().save(trainer, writer); });
    }
    if (!done) {
        return done;
    }
    return write_bytes(out, folder / kState);
}

// New episodes, from seeds that the run has not used before.
Status begin_anew(Trainer& trainer) {
    const auto seed = static_cast<std::uint64_t>(trainer.wiring().manifest.run.seed);
    const auto round = static_cast<std::uint32_t>(trainer.standing().steps);
    FrameSource& source = trainer.source();
    return source.reset(lane_seeds(make_key(seed, "env"), source.lane_count(), round).data());
}

Status read_state(Trainer& trainer, const std::filesystem::path& folder, Restored& out) {
    std::string bytes = TENON_TRY(read_file(folder / kState));
    ByteReader in(std::as_bytes(std::span(bytes)), (folder / kState).string());
    read_standing(in, trainer, out.extras);
    read_networks(in, trainer.learner());
    Status done =
        nested(in, "episodes", [&](const tn_reader& reader) { return trainer.source().episodes().load(reader); });
    const bool has_round = in.enter("parts", kPartsVersion) >= 4;
    const bool buffer = in.boolean();
    const bool env = in.boolean();
    in.leave();
    if (!in.status()) {
        return in.status();
    }
    if (trainer.standing().moved.size() != trainer.wiring().live.moved.size()) {
        return input_problem("the checkpoint is of a run whose hooks move other options than those of this run");
    }
    if (done && has_round) {
        done = read_round(in, trainer, out.extras);
    }
    std::uint64_t gone = 0;
    if (done && buffer) {
        Result<std::uint64_t> restored = restore_storage(trainer, folder, out);
        gone = restored ? *restored : 0;
        done = restored ? Status() : Status(std::move(restored).error());
    }
    if (done && env) {
        done = trainer.source().saves_apart() ? restore_lanes(trainer.source(), folder) : trainer.source().load(in);
    }
    if (ProceduralPolicy* policy = trainer.source().procedure(); done && buffer && policy != nullptr) {
        done = nested(in, "policy", [&](const tn_reader& reader) { return policy->load(reader); });
    }
    for (LearningUnit& unit : trainer.units()) {
        for (Feed& feed : unit.feeds()) {
            if (done && buffer && gone > 0) {
                in.skip("sampler");  // it chooses rows that are gone
            } else if (done && buffer) {
                done = nested(in, "sampler", [&](const tn_reader& reader) { return feed.sampler.load(reader); });
            }
        }
    }
    if (Memories* memories = trainer.source().memories(); done && env && memories != nullptr) {
        done = nested(in, "memories", [&](const tn_reader& reader) { return memories->load(reader); });
    }
    if (ParameterNoise* noise = trainer.parameter_noise(); done && noise != nullptr) {
        done = nested(in, "noise", [&](const tn_reader& reader) { return noise->load(reader); });
    }
    if (done && trainer.hooks().any()) {
        done = nested(in, "hooks", [&](const tn_reader& reader) { return trainer.hooks().load(reader); });
    }
    if (!done) {
        return done;
    }
    for (const std::string& part : without_state(trainer)) {
        out.notices.push_back(part + " cannot save its state: it begins with a new state");
    }
    if (!buffer) {
        trainer.source().experience().clear();
        if (trainer.keeper() != nullptr) {
            trainer.keeper()->clear();
        }
        std::ranges::for_each(trainer.progress().units, [](UnitProgress& unit) { unit.stored = 0; });
        const BufferPlan* const ring = trainer.wiring().collecting();
        if (ring != nullptr && !ring->table->init.empty() && !begins_in_place(*ring->table)) {
            const Storage frames = TENON_TRY(read_initial_frames(trainer.wiring(), *ring));
            start_with(trainer.source().experience(), frames);
        }
        const std::string own = "the checkpoint has no buffer (checkpoint.buffer = false): the run continues with ";
        out.notices.push_back(
            own + (trainer.source().experience().view().total == 0 ? "an empty one" : "that of buffer.init"));
    } else if (!env) {
        out.notices.push_back(trainer.source().why_unsaved());
    }
    trainer.move_schedules();
    leave_round(trainer, buffer, env);
    return env ? Status() : begin_anew(trainer);
}

}  // namespace

Status save(Trainer& trainer, const SnapshotExtras& extras, bool buffer, const std::filesystem::path& folder) {
    const bool storage =
        buffer || trainer.wiring().collecting() == nullptr;  // between batches it holds only observations
    if (trainer.source().saves_apart() && storage && trainer.source().why_unsaved().empty()) {
        TENON_TRY(write_lanes(trainer.source(), folder));
    }
    for (const SlabFile& file : kSlabs) {
        if (!has_file(file, trainer.learner())) {
            continue;
        }
        TENON_TRY(write_weights(folder / file.name, trainer.learner(), file.slab));
    }
    TENON_TRY(write_transforms(trainer.source().lanes(), folder));
    return write_state(trainer, extras, storage, folder);
}

Status save_scored(Learner& learner, std::span<const std::byte> transforms, const Standing& standing,
                   const std::string& executor, const std::filesystem::path& folder, const std::string& prefix) {
    Status done = write_weights(folder / (prefix + kParameters), learner, WeightSlab::kLive);
    if (done && !transforms.empty()) {
        ByteWriter out;
        out.begin("transforms", 1);
        out.raw(transforms.data(), transforms.size());
        out.end();
        done = write_bytes(out, folder / (prefix + kTransforms));
    }
    ByteWriter state;
    SnapshotExtras extras;
    extras.executor = executor;
    write_run(state, standing, extras);
    return done ? write_bytes(state, folder / (prefix + kState)) : done;
}

std::vector<std::string> without_state(Trainer& trainer) {
    std::vector<std::string> out;
    if (ProceduralPolicy* policy = trainer.source().procedure();
        policy != nullptr && policy->callee().state == nullptr) {
        out.push_back(policy->callee().name);
    }
    for (LearningUnit& unit : trainer.units()) {
        for (const Feed& feed : unit.feeds()) {
            if (!feed.sampler.saves_state() && std::ranges::find(out, feed.sampler.name()) == out.end()) {
                out.push_back(feed.sampler.name());
            }
        }
    }
    for (const std::string& hook : trainer.hooks().without_state()) {
        if (std::ranges::find(out, hook) == out.end()) {
            out.push_back(hook);
        }
    }
    return out;
}

Result<Restored> restore(Trainer& trainer, const std::filesystem::path& folder) {
    Restored out;
    for (const SlabFile& file : kSlabs) {
        if (!has_file(file, trainer.learner())) {
            continue;
        }
        TENON_TRY(read_weights(folder / file.name, trainer.learner(), file.slab));
    }
    TENON_TRY(restore_transforms(trainer.source().lanes(), folder));
    TENON_TRY(read_state(trainer, folder, out));
    return out;
}

Status restore_transforms(Lanes& lanes, const std::filesystem::path& folder, const std::string& prefix) {
    const std::filesystem::path file = folder / (prefix + kTransforms);
    std::error_code code;
    if (lanes.commons().empty() || !std::filesystem::exists(file, code)) {
        return {};
    }
    std::string bytes = TENON_TRY(read_file(file));
    ByteReader in(std::as_bytes(std::span(bytes)), file.string());
    return nested(in, "transforms", [&](const tn_reader& reader) { return lanes.load_common(reader); });
}

Result<Origin> origin_of(const std::filesystem::path& folder, const std::string& prefix) {
    const std::filesystem::path file = folder / (prefix + kState);
    const std::string bytes = TENON_TRY(read_file(file));
    ByteReader in(std::as_bytes(std::span(bytes)), file.string());
    Origin out;
    SnapshotExtras extras;
    read_run(in, out.standing, extras);
    out.executor = std::move(extras.executor);
    return in.status() ? Result(std::move(out)) : Result<Origin>(in.status().error());
}

Status restore_weights(Learner& learner, const std::filesystem::path& folder, const std::string& prefix) {
    Status done = read_weights(folder / (prefix + kParameters), learner, WeightSlab::kLive);
    std::for_each(learner.networks.begin(), learner.networks.end(), copy_live);
    return done;
}

}  // namespace tenon
