// SPDX-License-Identifier: Apache-2.0
#include "run/training.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "checkpoint/store.hpp"
#include "file/atomic.hpp"
#include "graph/text.hpp"
#include "manifest/parse.hpp"
#include "run/executor.hpp"
#include "run/folder.hpp"
#include "run/progress.hpp"
#include "run/recorder.hpp"
#include "run/resume.hpp"
#include "run/signals.hpp"
#include "train/snapshot.hpp"
#include "train/trainer.hpp"

namespace tenon {
namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Whether a multiple of `every` lies in (before, after]; never for 0.
bool passed(std::int64_t before, std::int64_t after, std::int64_t every) { return every > 0 && before / every != after / every; }

// Everything that a run consists of while it goes on. Members are destroyed from the last to the first.
class Run {
   public:
    Run(Setup setup, RunFolder folder, const Notice& notice) : setup_(std::move(setup)), folder_(std::move(folder)), notice_(notice) {}

    Status prepare();
    Status resume();
    Status start_from(const std::filesystem::path& other);
    Status loop(bool quiet);
    [[nodiscard]] TrainingResult result() const;

   private:
    [[nodiscard]] Manifest& manifest() { return setup_.wiring->manifest; }
    [[nodiscard]] std::int64_t frames() const { return trainer_->standing().frames; }
    Status after_round(std::int64_t before);
    Status evaluate();
    Status checkpoint();
    void warn();

    Setup setup_;
    RunFolder folder_;
    const Notice& notice_;
    std::optional<LoadedExecutor> executor_;
    std::unique_ptr<Trainer> trainer_;
    std::unique_ptr<Evaluator> evaluator_;
    std::optional<Recorder> recorder_;
    std::string graph_;
    std::optional<Score> score_;        // the newest
    std::int64_t score_frames_ = -1;    // when it was taken
    std::int64_t saved_frames_ = -1;
    std::int64_t first_frames_ = 0;     // where this process began
    double began_s_ = 0;
    double working_s_ = 0;              // collecting and updating
    bool stopped_ = false;
    bool done_ = false;                 // stop_at_return was reached
};

Status Run::prepare() {
    Wiring& wiring = *setup_.wiring;
    const bool needs_executor = wiring.acts_by_graph() || wiring.learns();
    if (needs_executor) {
        Result<LoadedExecutor> executor = load_executor(manifest().run.executor, wiring.real());
        if (!executor) {
            return std::move(executor).error();
        }
        executor_.emplace(std::move(*executor));
        graph_ = graph::text(wiring.update.graph, graph::Places::kLeftOut);
    }
    Executor* executor = executor_ ? executor_->executor.get() : nullptr;
    Result<std::unique_ptr<Trainer>> trainer = Trainer::make(wiring, *setup_.host, executor);
    if (!trainer) {
        return std::move(trainer).error();
    }
    trainer_ = std::move(*trainer);
    if (manifest().eval.every_frames > 0) {
        const std::int64_t seed = manifest().eval.seed.value_or(manifest().run.seed);
        Result<std::unique_ptr<Evaluator>> evaluator =
            Evaluator::make(wiring, *setup_.host, executor, trainer_->learner(), manifest().eval.episodes, static_cast<std::uint64_t>(seed));
        if (!evaluator) {
            return std::move(evaluator).error();
        }
        evaluator_ = std::move(*evaluator);
    }
    Result<Recorder> recorder = Recorder::open(folder_.path(), wiring);
    if (!recorder) {
        return std::move(recorder).error();
    }
    recorder_.emplace(std::move(*recorder));
    for (const std::string& part : wiring.lanes->without_state()) {
        notice_(part + " cannot save its state: a resumed run begins its episodes anew and is not identical");
    }
    return {};
}

Status Run::resume() {
    if (Status cleaned = clean_checkpoints(folder_.checkpoints()); !cleaned) {
        return cleaned;
    }
    Result<NewestCheckpoint> newest = newest_checkpoint(folder_.checkpoints());
    if (!newest) {
        return std::move(newest).error();
    }
    if (!newest->notice.empty()) {
        notice_(newest->notice);
    }
    if (!newest->checkpoint) {
        notice_("there is no checkpoint in " + folder_.path().string() + " yet: the run starts at frame 0");
        return recorder_->metrics().truncate_to({});
    }
    Result<Restored> restored = restore(*trainer_, newest->checkpoint->folder);
    if (!restored) {
        return std::move(restored).error();
    }
    for (const std::string& notice : restored->notices) {
        notice_(notice);
    }
    if (restored->extras.graph != graph_) {
        return input_problem("the plugins build another update than they did when the run in " + folder_.path().string() + " was checkpointed", {},
                             "use the plugin files of the run (plugins.toml beside its manifest), or begin a new run with --from " + folder_.path().string());
    }
    first_frames_ = frames();
    saved_frames_ = frames();
    return recorder_->metrics().truncate_to({.jsonl = restored->extras.metrics_jsonl, .csv = restored->extras.metrics_csv});
}

Status Run::start_from(const std::filesystem::path& other) {
    Result<Checkpoint> newest = find_checkpoint(other / "checkpoints", "last");
    if (!newest) {
        return std::move(newest).error();
    }
    return restore_weights(trainer_->learner(), newest->folder);
}

Status Run::loop(bool quiet) {
    const StopSignals signals;
    Progress progress(quiet ? -1 : STDERR_FILENO, progress_style(STDERR_FILENO), manifest().run.total_frames);
    began_s_ = now_s();
    while (frames() < manifest().run.total_frames && !done_ && !stopped_) {
        const std::int64_t before = frames();
        const double start_s = now_s();
        if (Status done = trainer_->round(); !done) {
            return done;
        }
        working_s_ += now_s() - start_s;
        warn();
        if (Status done = after_round(before); !done) {
            return done;
        }
        const Episodes& episodes = trainer_->episodes();
        progress.update({.frames = frames(), .return_mean = episodes.finished() > 0 ? episodes.mean_return() : std::nan("")}, now_s());
        stopped_ = StopSignals::requested();
    }
    progress.finish();
    if (evaluator_ && !stopped_ && score_frames_ != frames()) {
        if (Status done = evaluate(); !done) {
            return done;
        }
        if (Status done = recorder_->record(*trainer_, &*score_, now_s() - began_s_, result().frames_per_s); !done) {
            return done;
        }
    }
    return saved_frames_ == frames() ? Status() : checkpoint();
}

Status Run::after_round(std::int64_t before) {
    const bool scored = evaluator_ && passed(before, frames(), manifest().eval.every_frames);
    if (scored) {
        if (Status done = evaluate(); !done) {
            return done;
        }
    }
    const auto& target = manifest().run.stop_at_return;
    const Episodes& episodes = trainer_->episodes();
    if (target) {
        done_ = evaluator_ ? scored && score_->return_mean >= *target : episodes.finished() >= Episodes::kWindow && episodes.mean_return() >= *target;
    }
    if (scored || done_ || passed(before, frames(), manifest().log.every_frames)) {
        if (Status done = recorder_->record(*trainer_, scored ? &*score_ : nullptr, now_s() - began_s_, result().frames_per_s); !done) {
            return done;
        }
    }
    const bool best = scored && trainer_->standing().best_frames == frames();
    if (best || done_ || passed(before, frames(), manifest().checkpoint.every_frames)) {
        if (Status done = checkpoint(); !done) {
            return done;
        }
    }
    return best ? mark_best(folder_.checkpoints(), frames()) : Status();
}

Status Run::evaluate() {
    Result<Score> score = evaluator_->run();
    if (!score) {
        return std::move(score).error();
    }
    score_ = *score;
    score_frames_ = frames();
    Standing& standing = trainer_->standing();
    if (standing.best_frames < 0 || score_->return_mean > standing.best_return) {
        standing.best_return = score_->return_mean;
        standing.best_frames = frames();
    }
    return {};
}

Status Run::checkpoint() {
    if (Status synced = recorder_->metrics().sync(); !synced) {
        return synced;
    }
    const MetricLengths lengths = recorder_->metrics().lengths();
    const SnapshotExtras extras{.executor = executor_ ? executor_->name : "", .metrics_jsonl = lengths.jsonl, .metrics_csv = lengths.csv, .graph = graph_};
    Result<Checkpoint> written = write_checkpoint(folder_.checkpoints(), frames(), [&](const std::filesystem::path& folder) {
        return save(*trainer_, extras, manifest().checkpoint.buffer, folder);
    });
    if (!written) {
        return std::move(written).error();
    }
    saved_frames_ = frames();
    return keep_newest(folder_.checkpoints(), static_cast<std::size_t>(manifest().checkpoint.keep));
}

void Run::warn() {
    for (const Problem& warning : setup_.wiring->lanes->take_warnings()) {
        notice_(warning.sentence);
    }
}

TrainingResult Run::result() const {
    const Standing& standing = trainer_->standing();
    const double rate = working_s_ > 0 ? static_cast<double>(standing.frames - first_frames_) / working_s_ : 0;
    TrainingResult out{.out = folder_.path(), .frames = standing.frames, .updates = standing.updates, .seconds = now_s() - began_s_, .frames_per_s = rate,
                       .last = {}, .best_return = {}, .stopped = stopped_};
    if (score_frames_ == standing.frames) {
        out.last = score_;
    }
    if (standing.best_frames >= 0) {
        out.best_return = standing.best_return;
    }
    return out;
}

Result<RunFolder> open_folder(const TrainingRequest& request, const Setup& setup) {
    if (!request.resume.empty()) {
        return RunFolder::reopen(request.resume);
    }
    const Manifest& manifest = setup.wiring->manifest;
    const std::string name = manifest.run.name.empty() ? request.request.manifest.stem().string() : manifest.run.name;
    Result<RunFolder> folder = RunFolder::create(request.out, "runs", name, resolved_manifest(*setup.wiring));
    if (!folder) {
        return folder;
    }
    if (Status written = write_file(folder->path() / "plugins.toml", plugin_fingerprints(*setup.wiring)); !written) {
        return std::move(written).error();
    }
    return folder;
}

Setup set_up_resumed(const TrainingRequest& request, Problems& problems) {
    const auto refuse = [&](Problem problem) {
        problems.push_back(std::move(problem));
        return Setup{};
    };
    Result<Document> document = document_to_resume(request.resume, request.request);
    if (!document) {
        return refuse(std::move(document).error());
    }
    Setup setup = set_up(*document, request.request, problems);
    if (!problems.empty()) {
        return setup;
    }
    Result<Document> before = read_manifest((request.resume / "manifest.lock.toml").string(), {});
    if (!before) {
        return refuse(std::move(before).error());
    }
    Result<TomlTable> now = parse_toml(resolved_manifest(*setup.wiring), document->place.file);
    if (!now) {
        return refuse(std::move(now).error());
    }
    if (Status same = check_same_run(*before, Document{std::move(*now), document->place}, request.resume); !same) {
        return refuse(std::move(same).error());
    }
    return setup;
}

}  // namespace

std::optional<TrainingResult> run_training(const TrainingRequest& request, const Notice& notice, Problems& problems) {
    const bool resumes = !request.resume.empty();
    Setup setup = resumes ? set_up_resumed(request, problems) : set_up(request.request, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const auto failed = [&](Status status) {
        if (!status) {
            problems.push_back(std::move(status).error());
        }
        return !problems.empty();
    };
    Result<RunFolder> folder = open_folder(request, setup);
    if (!folder) {
        problems.push_back(std::move(folder).error());
        return std::nullopt;
    }
    Run run(std::move(setup), std::move(*folder), notice);
    if (failed(run.prepare()) || (resumes && failed(run.resume())) || (!request.from.empty() && failed(run.start_from(request.from))) ||
        failed(run.loop(request.quiet))) {
        return std::nullopt;
    }
    return run.result();
}

}  // namespace tenon
