// SPDX-License-Identifier: Apache-2.0
#include "commands/record/recording.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/new_folders.hpp"
#include "base/file/sha256.hpp"
#include "base/json/write.hpp"
#include "base/random/key.hpp"
#include "experience/dataset/dataset.hpp"
#include "experience/dataset/write_dataset.hpp"
#include "experience/env/seeds.hpp"
#include "folder/records/folder.hpp"
#include "run/sessions/opened_run.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/collect/make_source.hpp"
#include "train/collect/score.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/initial_weights.hpp"
#include "train/plan/wiring_acting.hpp"
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
    Standing standing = {};         // this and the next: of the checkpoint
    std::vector<double> live = {};  // values
    Learner learner = {};
    std::unique_ptr<Executor> executor = {};
    std::unique_ptr<FrameSource> source = {};
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

// The key of the seeds with which the lanes begin.
tn_key env_key(const Wiring& wiring) {
    return make_key(static_cast<std::uint64_t>(wiring.manifest.run.seed), "env");
}

const BuiltProgram& program_of(const Wiring& wiring, Actions actions) {
    return actions == Actions::kMode ? wiring.mode : actions == Actions::kMean ? wiring.evaluate : wiring.act;
}

Status make_acting(Stage& stage, Setup& setup, const std::string& executor) {
    ActingOptions acting{.mode = stage.actions == Actions::kMode ? TN_ACT_MODE : TN_ACT_SAMPLE,
                         .random = stage.actions == Actions::kRandom,
                         .seed = static_cast<std::uint64_t>(stage.wiring.manifest.run.seed)};
    if (!acting.random && stage.wiring.acts_by_graph()) {
        stage.executor = TENON_TRY(load_executor_of(stage.wiring, setup.host->pool, executor));
        acting.program = &program_of(stage.wiring, stage.actions);
    } else if (!acting.random) {
        acting.procedure = std::move(setup.running.procedure);
    }
    return stage.source->act_by(std::move(acting), stage.executor.get(), stage.learner, setup.host->pool);
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
    const Wiring& w = *setup.wiring;
    const std::uint32_t lanes = setup.running.lanes->count();
    Storage storage = TENON_TRY(make_storage(stage, frames, lanes));
    stage.learner = TENON_TRY(make_learner(w));
    std::string executor;
    if (checkpoint) {
        TENON_TRY(restore(stage.learner, *setup.running.lanes, checkpoint->folder));
        Origin origin = TENON_TRY(origin_of(checkpoint->folder));
        stage.standing = origin.standing;
        executor = std::move(origin.executor);
    }
    stage.live = live_at(w.live, stage.standing);
    stage.source = TENON_TRY(make_source(std::move(*setup.running.lanes), std::move(storage)));
    stage.source->lanes().follow_values(stage.live);
    TENON_TRY(make_acting(stage, setup, executor));
    stage.sheet.begin(std::vector<std::int64_t>(lanes, std::numeric_limits<std::int64_t>::max()));
    return stage.source->reset(lane_seeds(env_key(w), lanes).data());
}

Result<Score> play(Stage& stage, const Notice& notice) {
    FrameSource& source = *stage.source;
    RunNumbers numbers = numbers_at(stage.wiring, stage.standing, stage.live);
    for (std::uint32_t step = 0; step + 1 < source.storage().slots(); ++step) {
        TENON_TRY(source.step({.numbers = numbers, .counter = step}));
        numbers.same_parameters = true;
        stage.sheet.add(source.episodes().ended());
        for (const Problem& parked : source.lanes().take_warnings()) {
            notice(render_unlabelled(parked));
        }
        for (const Problem& begun : source.lanes().take_notices()) {
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

// The metadata of the recording.
Result<TensorMetadata> facts_of(const Stage& stage, const Recording& made, const std::filesystem::path& manifest,
                                const std::optional<Checkpoint>& checkpoint) {
    std::string hash = TENON_TRY(sha256_of_file(manifest));
    TensorMetadata about;
    about["env"] = stage.wiring.parts.training.env.info.name;
    about["manifest_sha256"] = std::move(hash);
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
    return about;
}

Status write_own(const Stage& stage, TensorMetadata about, const std::filesystem::path& out) {
    about.merge(specs_in_words(stage.wiring.env_specs));
    return write_file(out, [&](const std::filesystem::path& temporary) {
        return write_frames(stage.source->storage(), temporary, std::move(about));
    });
}

Status write_as_dataset(const Stage& stage, TensorMetadata about, const RecordingRequest& request, Host& host,
                        Recording& made) {
    const Storage& storage = stage.source->storage();
    const std::vector<std::uint64_t> seeds = lane_seeds(env_key(stage.wiring), storage.lanes());
    Converted written = TENON_TRY(write_dataset({.storage = storage,
                                                 .specs = stage.wiring.env_specs,
                                                 .facts = std::move(about),
                                                 .to = request.out,
                                                 .format = request.format,
                                                 .lane_seeds = seeds},
                                                host.registry, host.services.table()));
    made.left_out = std::move(written.left_out);
    made.pieces = std::move(written.pieces);
    return {};
}

Result<Recording> record(const RecordingRequest& request, Setup& setup, const std::filesystem::path& manifest,
                         const std::optional<Checkpoint>& checkpoint, const Notice& notice) {
    if (request.format != kOwnFormat) {  // before it plays for hours
        TENON_TRY(Dataset::named(request.format, setup.host->registry, setup.host->services.table()));
    }
    Stage stage{.wiring = *setup.wiring, .actions = request.actions};
    TENON_TRY(prepare(stage, setup, request.frames, checkpoint));
    const Score episodes = TENON_TRY(play(stage, notice));
    Recording out{.frames = stage.source->storage().view().total, .episodes = episodes};
    TensorMetadata about = TENON_TRY(facts_of(stage, out, manifest, checkpoint));
    Status written = request.format == kOwnFormat
                         ? write_own(stage, std::move(about), request.out)
                         : write_as_dataset(stage, std::move(about), request, *setup.host, out);
    return written ? Result(std::move(out)) : Result<Recording>(std::move(written).error());
}

Status check_out(const std::filesystem::path& out, const std::string& format) {
    if (format != kOwnFormat) {
        return check_free(out);
    }
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
        if (Status holds_run = check_holds_run(request.source); !holds_run) {
            return fail(std::move(holds_run).error());
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
    const NewFolders above(request.out);
    if (Status possible = check_out(request.out, request.format); !possible) {
        return fail(std::move(possible).error());
    }
    const std::filesystem::path manifest = is_run ? request.source / "manifest.lock.toml" : request.source;
    std::vector<Override> overrides;
    if (request.seed) {
        overrides.push_back({"run.seed=" + std::to_string(*request.seed), "--seed"});
    }
    if (request.actions == Actions::kMean) {
        overrides.push_back({"eval.actions=mean", "--actions"});  // the program for means is wired for evaluations
    }
    Setup setup = set_up({.manifest = manifest,
                          .overrides = std::move(overrides),
                          .plugins = request.plugins,
                          .restored = is_run,
                          .only_acts = is_run},
                         problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    if (is_run) {
        warn_of_changed_plugins(*setup.wiring, request.source, notice);
    }
    Result<Recording> made = record(request, setup, manifest, checkpoint, notice);
    return made ? std::optional(std::move(*made)) : fail(std::move(made).error());
}

}  // namespace tenon
