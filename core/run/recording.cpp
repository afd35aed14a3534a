// SPDX-License-Identifier: Apache-2.0
#include "run/recording.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "checkpoint/frames_file.hpp"
#include "env/episodes.hpp"
#include "env/seeds.hpp"
#include "file/atomic.hpp"
#include "file/sha256.hpp"
#include "json/write.hpp"
#include "manifest/pace.hpp"
#include "random/key.hpp"
#include "run/executor.hpp"
#include "run/folder.hpp"
#include "run/scoring.hpp"
#include "run/setup.hpp"
#include "train/actor.hpp"
#include "train/random_actions.hpp"
#include "train/snapshot.hpp"
#include "train/trainer.hpp"

namespace tenon {
namespace {

struct ActionWord {
    std::string_view word;
    Actions actions;
};
constexpr auto kActionWords = std::to_array<ActionWord>(
    {{"sample", Actions::kSample}, {"mode", Actions::kMode}, {"mean", Actions::kMean}, {"random", Actions::kRandom}});

// Everything that acts, in one place that stays where it is.
struct Player {
    Wiring& wiring;
    Actions actions;
    Standing standing = {};  // of the checkpoint: where schedules are
    Learner learner = {};
    std::unique_ptr<Executor> executor = {};
    std::optional<Storage> storage = {};
    std::optional<Actor> actor = {};
    std::optional<ProceduralPolicy> procedure = {};
    std::optional<RandomActions> random = {};
};

// The weights and what transforms have learnt, which they add nothing to.
Status restore(Player& player, const std::filesystem::path& checkpoint) {
    Lanes& lanes = *player.wiring.lanes;
    Status done = restore_weights(player.learner, checkpoint);
    if (done) {
        done = restore_transforms(lanes, checkpoint);
    }
    return done ? lanes.follow(lanes) : done;
}

Status make_actor(Player& player, const BuiltProgram& program, std::uint64_t seed, const std::string& executor,
                  Pool& pool) {
    Result<std::unique_ptr<Executor>> loaded = load_executor_of(player.wiring, pool, executor);
    if (!loaded) {
        return std::move(loaded).error();
    }
    player.executor = std::move(*loaded);
    Result<Actor> actor =
        Actor::make(program, seed, *player.executor, player.learner, *player.storage, player.wiring.env_specs);
    if (!actor) {
        return std::move(actor).error();
    }
    player.actor.emplace(std::move(*actor));
    return {};
}

Status make_procedure(Player& player, Pool& pool) {
    Result<ProceduralPolicy> procedure = ProceduralPolicy::make(
        Callee<tn_policy_api>::of(*player.wiring.procedural, "tenon.policy/1"), player.wiring.env_specs, pool);
    if (!procedure) {
        return std::move(procedure).error();
    }
    player.procedure.emplace(std::move(*procedure));
    return player.procedure->bind(*player.storage);
}

Status prepare(Player& player, Pool& pool, std::int64_t frames, const std::optional<Checkpoint>& checkpoint) {
    Wiring& w = player.wiring;
    const auto seed = static_cast<std::uint64_t>(w.manifest.run.seed);
    const auto lanes = static_cast<std::uint32_t>(w.manifest.env.lanes);
    const bool by_graph = player.actions != Actions::kRandom && w.acts_by_graph();
    const BuiltProgram& program = player.actions == Actions::kMode   ? w.mode
                                  : player.actions == Actions::kMean ? w.evaluate
                                                                     : w.act;
    std::vector<StorageColumn> columns = storage_columns(w.env_specs);
    if (by_graph) {
        std::ranges::transform(columns_of_acting(w, program), std::back_inserter(columns),
                               [](const graph::Column& column) { return state_column(column.spec); });
    }
    Result<Storage> storage =
        Storage::make(std::move(columns), Storage::slots_for(static_cast<std::uint64_t>(frames), lanes), lanes);
    if (!storage) {
        return std::move(storage).error();
    }
    player.storage.emplace(std::move(*storage));
    Result<Learner> learner = make_learner(w);
    if (!learner) {
        return std::move(learner).error();
    }
    player.learner = std::move(*learner);
    std::string executor;
    if (checkpoint) {
        if (Status restored = restore(player, checkpoint->folder); !restored) {
            return restored;
        }
        Result<Origin> origin = origin_of(checkpoint->folder);
        if (!origin) {
            return std::move(origin).error();
        }
        player.standing = origin->standing;
        executor = std::move(origin->executor);
    }
    apply(w.live.schedules, static_cast<double>(player.standing.frames), static_cast<double>(player.standing.updates),
          w.live.values);
    player.random.emplace(w.env_specs, seed);
    Status ready = w.lanes->bind(*player.storage);
    if (ready && by_graph) {
        ready = make_actor(player, program, seed, executor, pool);
    } else if (ready && player.actions != Actions::kRandom) {
        ready = make_procedure(player, pool);
    }
    return ready ? w.lanes->reset(nullptr, lane_seeds(make_key(seed, "env"), lanes).data()) : ready;
}

Status act(Player& player, tn_key key, std::uint64_t counter) {
    const Manifest& manifest = player.wiring.manifest;
    if (player.actor) {
        const auto at = static_cast<double>(only_learns(manifest) ? player.standing.updates : player.standing.frames);
        return player.actor->act(*player.storage,
                                 {.live = player.wiring.live.values,
                                  .frames = static_cast<double>(player.standing.frames),
                                  .updates = static_cast<double>(player.standing.updates),
                                  .progress = std::min(at / static_cast<double>(run_length(manifest)), 1.0)},
                                 counter);
    }
    if (player.procedure) {
        return player.procedure->act(player.actions == Actions::kMode ? TN_ACT_MODE : TN_ACT_SAMPLE, key, counter);
    }
    player.random->act(*player.storage, counter);
    return {};
}

Result<Score> play(Player& player, const Notice& notice) {
    Lanes& lanes = *player.wiring.lanes;
    Storage& storage = *player.storage;
    const tn_key key = make_key(static_cast<std::uint64_t>(player.wiring.manifest.run.seed), "policy/act");
    std::vector<Episode> running(storage.lanes());
    std::vector<double> returns;
    std::int64_t steps = 0;
    for (std::uint64_t step = 0; step + 1 < storage.slots(); ++step) {
        const std::size_t at = std::size_t{storage.head()} * storage.lanes();
        Status done = act(player, key, step);
        if (done) {
            done = lanes.step();
        }
        if (!done) {
            return std::move(done).error();
        }
        for (const Problem& parked : lanes.take_warnings()) {
            notice(render_unlabelled(parked));
        }
        for (const Problem& begun : lanes.take_notices()) {
            notice(render_unlabelled(begun));
        }
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            running[lane] = lanes.lost()[lane] != 0 ? Episode{} : running[lane];
            running[lane].total += lanes.rewards()[lane];
            ++running[lane].length;
            if ((storage.terminated()[at + lane] | storage.truncated()[at + lane]) != 0) {
                const Episode ended = std::exchange(running[lane], {});
                returns.push_back(ended.total);
                steps += ended.length;
            }
        }
    }
    return score_of(returns, steps);
}

std::string shortest(double value) {
    std::string out;
    JsonWriter(out).number(value);
    return out;
}

Status write(const Player& player, const Recording& made, const std::filesystem::path& manifest,
             const std::optional<Checkpoint>& checkpoint, const std::filesystem::path& out) {
    Result<std::string> hash = sha256_of_file(manifest);
    if (!hash) {
        return std::move(hash).error();
    }
    TensorMetadata about = specs_in_words(player.wiring.env_specs);
    about["env"] = player.wiring.parts.env.info.name;
    about["manifest_sha256"] = std::move(*hash);
    about["seed"] = std::to_string(player.wiring.manifest.run.seed);
    about["actions"] = std::ranges::find(kActionWords, player.actions, &ActionWord::actions)->word;
    about["frames"] = std::to_string(made.frames);
    about["episodes"] = std::to_string(made.episodes.episodes);
    if (made.episodes.episodes > 0) {
        about["return_mean"] = shortest(made.episodes.return_mean);
        about["return_std"] = shortest(made.episodes.return_std);
        about["length_mean"] = shortest(made.episodes.length_mean);
    }
    if (checkpoint && player.actions != Actions::kRandom) {
        about["checkpoint"] = std::to_string(checkpoint->frames);
    }
    return write_file(out, [&](const std::filesystem::path& temporary) {
        return write_frames(*player.storage, temporary, std::move(about));
    });
}

Result<Recording> record(const RecordingRequest& request, Setup& setup, const std::filesystem::path& manifest,
                         const std::optional<Checkpoint>& checkpoint, const Notice& notice) {
    Player player{.wiring = *setup.wiring, .actions = request.actions};
    if (Status ready = prepare(player, setup.host->pool, request.frames, checkpoint); !ready) {
        return std::move(ready).error();
    }
    const Result<Score> episodes = play(player, notice);
    if (!episodes) {
        return episodes.error();
    }
    const Recording out{.frames = player.storage->view().total, .episodes = *episodes};
    Status written = write(player, out, manifest, checkpoint, request.out);
    return written ? Result(out) : Result<Recording>(std::move(written).error());
}

Status check_out(const std::filesystem::path& out) {
    std::error_code code;
    if (std::filesystem::is_directory(out, code)) {
        return input_problem(out.string() + " is a folder; the frames go to a file");
    }
    return make_folders(std::filesystem::absolute(out).parent_path());
}

}  // namespace

std::optional<Actions> actions_named(std::string_view word) {
    const auto* const found = std::ranges::find(kActionWords, word, &ActionWord::word);
    return found == kActionWords.end() ? std::nullopt : std::optional(found->actions);
}

std::optional<Recording> record_frames(const RecordingRequest& request, const Notice& notice, Problems& problems) {
    const auto fail = [&](Problem problem) {
        problems.push_back(std::move(problem));
        return std::nullopt;
    };
    std::error_code code;
    const bool is_run = !std::filesystem::is_regular_file(request.source, code);
    std::optional<Checkpoint> checkpoint;
    if (is_run) {
        if (Status there = check_holds_run(request.source); !there) {
            return fail(std::move(there).error());
        }
        Result<Checkpoint> chosen = chosen_checkpoint(request.source, request.checkpoint, "played", notice);
        if (!chosen) {
            return fail(std::move(chosen).error());
        }
        checkpoint = std::move(*chosen);
    } else if (request.checkpoint) {
        return fail(
            input_problem(request.source.string() + " is a manifest, which has no checkpoints; give a run's folder"));
    }
    if (Status possible = check_out(request.out); !possible) {
        return fail(std::move(possible).error());
    }
    const std::filesystem::path manifest = is_run ? request.source / "manifest.lock.toml" : request.source;
    std::vector<Override> overrides;
    if (request.seed) {
        overrides.push_back({"run.seed=" + std::to_string(*request.seed), "--seed"});
    }
    if (request.actions == Actions::kMean) {
        overrides.push_back({"eval.actions=mean", "--actions"});  // such a program is wired for evaluations
    }
    Setup setup = set_up(
        {.manifest = manifest, .overrides = std::move(overrides), .plugins = request.plugins, .restored = is_run},
        problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    Result<Recording> made = record(request, setup, manifest, checkpoint, notice);
    return made ? std::optional(*made) : fail(std::move(made).error());
}

}  // namespace tenon
