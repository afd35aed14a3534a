// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/recording.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/sha256.hpp"
#include "base/json/write.hpp"
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "run/records/folder.hpp"
#include "run/sessions/scoring.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/collect/collector.hpp"
#include "train/collect/score_sheet.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/initial_weights.hpp"
#include "train/progress/standing.hpp"

namespace tenon {
namespace {

struct ActionWord {
    std::string_view word;
    Actions actions;
};
constexpr auto kActionWords = std::to_array<ActionWord>(
    {{"sample", Actions::kSample}, {"mode", Actions::kMode}, {"mean", Actions::kMean}, {"random", Actions::kRandom}});

// The objects of a recording, at a stable address.
struct Stage {
    const Wiring& wiring;
    Actions actions;
    Standing standing = {};  // of the checkpoint
    Learner learner = {};
    std::unique_ptr<Executor> executor = {};
    std::optional<Collector> collector = {};
    ScoreSheet sheet = {};
};

// Restores the weights and what the transforms have learnt; they learn nothing more.
Status restore(Learner& learner, Lanes& lanes, const std::filesystem::path& checkpoint) {
    Status done = restore_weights(learner, checkpoint);
    if (done) {
        done = restore_transforms(lanes, checkpoint);
    }
    return done ? lanes.follow(lanes) : done;
}

const BuiltProgram& program_of(const Wiring& wiring, Actions actions) {
    return actions == Actions::kMode ? wiring.mode : actions == Actions::kMean ? wiring.evaluate : wiring.act;
}

Status make_acting(Stage& stage, Setup& setup, const std::string& executor) {
    ActingOptions acting{.mode = stage.actions == Actions::kMode ? TN_ACT_MODE : TN_ACT_SAMPLE,
                         .random = stage.actions == Actions::kRandom,
                         .seed = static_cast<std::uint64_t>(stage.wiring.manifest.run.seed)};
    if (!acting.random && stage.wiring.acts_by_graph()) {
        Result<std::unique_ptr<Executor>> loaded = load_executor_of(stage.wiring, setup.host->pool, executor);
        if (!loaded) {
            return std::move(loaded).error();
        }
        stage.executor = std::move(*loaded);
        acting.program = &program_of(stage.wiring, stage.actions);
    } else if (!acting.random) {
        acting.procedure = std::move(setup.running.procedure);
    }
    return stage.collector->act_by(std::move(acting), stage.executor.get(), stage.learner, setup.host->pool);
}

Result<Storage> make_storage(const Stage& stage, std::int64_t frames, std::uint32_t lanes) {
    const Wiring& w = stage.wiring;
    std::vector<StorageColumn> columns = storage_columns(w.env_specs);
    if (stage.actions != Actions::kRandom && w.acts_by_graph()) {
        std::ranges::transform(columns_of_acting(w, program_of(w, stage.actions)), std::back_inserter(columns),
                               [](const graph::Column& column) { return state_column(column.spec); });
    }
    return Storage::make(std::move(columns), Storage::slots_for(static_cast<std::uint64_t>(frames), lanes), lanes);
}

Status prepare(Stage& stage, Setup& setup, std::int64_t frames, const std::optional<Checkpoint>& checkpoint) {
    Wiring& w = *setup.wiring;
    const auto lanes = static_cast<std::uint32_t>(w.manifest.env.lanes);
    Result<Storage> storage = make_storage(stage, frames, lanes);
    if (!storage) {
        return std::move(storage).error();
    }
    Result<Learner> learner = make_learner(w);
    if (!learner) {
        return std::move(learner).error();
    }
    stage.learner = std::move(*learner);
    std::string executor;
    if (checkpoint) {
        if (Status restored = restore(stage.learner, *setup.running.lanes, checkpoint->folder); !restored) {
            return restored;
        }
        Result<Origin> origin = origin_of(checkpoint->folder);
        if (!origin) {
            return std::move(origin).error();
        }
        stage.standing = origin->standing;
        executor = std::move(origin->executor);
    }
    move_schedules(w, stage.standing);
    Result<Collector> collector = Collector::make(std::move(*setup.running.lanes), std::move(*storage));
    if (!collector) {
        return std::move(collector).error();
    }
    stage.collector.emplace(std::move(*collector));
    if (Status acts = make_acting(stage, setup, executor); !acts) {
        return acts;
    }
    stage.sheet.begin(std::vector<std::int64_t>(lanes, std::numeric_limits<std::int64_t>::max()));
    const auto seed = static_cast<std::uint64_t>(w.manifest.run.seed);
    return stage.collector->reset(lane_seeds(make_key(seed, "env"), lanes).data());
}

Result<Score> play(Stage& stage, const Notice& notice) {
    Collector& collector = *stage.collector;
    RunNumbers numbers = numbers_at(stage.wiring, stage.standing);
    for (std::uint32_t step = 0; step + 1 < collector.storage().slots(); ++step) {
        if (Status done = collector.step(numbers, step); !done) {
            return std::move(done).error();
        }
        numbers.same_parameters = true;
        stage.sheet.add(collector.episodes().ended());
        for (const Problem& parked : collector.lanes().take_warnings()) {
            notice(render_unlabelled(parked));
        }
        for (const Problem& begun : collector.lanes().take_notices()) {
            notice(render_unlabelled(begun));
        }
    }
    return stage.sheet.score();
}

std::string shortest(double value) {
    std::string out;
    JsonWriter(out).number(value);
    return out;
}

Status write_frames_of(const Stage& stage, const Recording& made, const std::filesystem::path& manifest,
                       const std::optional<Checkpoint>& checkpoint, const std::filesystem::path& out) {
    Result<std::string> hash = sha256_of_file(manifest);
    if (!hash) {
        return std::move(hash).error();
    }
    TensorMetadata about = specs_in_words(stage.wiring.env_specs);
    about["env"] = stage.wiring.parts.training.env.info.name;
    about["manifest_sha256"] = std::move(*hash);
    about["seed"] = std::to_string(stage.wiring.manifest.run.seed);
    about["actions"] = std::ranges::find(kActionWords, stage.actions, &ActionWord::actions)->word;
    about["frames"] = std::to_string(made.frames);
    about["episodes"] = std::to_string(made.episodes.episodes);
    if (made.episodes.episodes > 0) {
        about["return_mean"] = shortest(made.episodes.return_mean);
        about["return_std"] = shortest(made.episodes.return_std);
        about["length_mean"] = shortest(made.episodes.length_mean);
    }
    if (checkpoint && stage.actions != Actions::kRandom) {
        about["checkpoint"] = std::to_string(checkpoint->frames);
    }
    return write_file(out, [&](const std::filesystem::path& temporary) {
        return write_frames(stage.collector->storage(), temporary, std::move(about));
    });
}

Result<Recording> record(const RecordingRequest& request, Setup& setup, const std::filesystem::path& manifest,
                         const std::optional<Checkpoint>& checkpoint, const Notice& notice) {
    Stage stage{.wiring = *setup.wiring, .actions = request.actions};
    if (Status ready = prepare(stage, setup, request.frames, checkpoint); !ready) {
        return std::move(ready).error();
    }
    const Result<Score> episodes = play(stage, notice);
    if (!episodes) {
        return episodes.error();
    }
    const Recording out{.frames = stage.collector->storage().view().total, .episodes = *episodes};
    Status written = write_frames_of(stage, out, manifest, checkpoint, request.out);
    return written ? Result(out) : Result<Recording>(std::move(written).error());
}

Status check_out(const std::filesystem::path& out) {
    std::error_code code;
    if (std::filesystem::is_directory(out, code)) {
        return input_problem(out.string() + " is a folder; give a file for the frames");
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
        return fail(input_problem(request.source.string() +
                                  " is a manifest, which has no checkpoints; give the folder of a run"));
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
        overrides.push_back({"eval.actions=mean", "--actions"});  // the program for it is wired for evaluations
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
