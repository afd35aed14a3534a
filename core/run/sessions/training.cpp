// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/training.hpp"

#include <new>
#include <utility>

#include "run/records/folder.hpp"
#include "run/sessions/resume.hpp"
#include "run/sessions/run.hpp"
#include "run/start/executor_check.hpp"
#include "run/start/fingerprints.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon {
namespace {

Result<RunFolder> create_folder(const TrainingRequest& request, const Wiring& wiring) {
    const Result<std::string> plugins = plugin_fingerprints(wiring);
    if (!plugins) {
        return plugins.error();
    }
    return RunFolder::create(request.out, "runs", wiring.manifest.run.name, resolved_manifest(wiring), *plugins);
}

// The run's folder is created last, so that a failure before it leaves nothing behind.
Status begin(Run& run, const TrainingRequest& request, const Wiring& wiring) {
    std::optional<Checkpoint> source;
    if (!request.from.empty()) {
        if (Status there = check_holds_run(request.from); !there) {
            return there;
        }
        Result<Checkpoint> newest = find_checkpoint(request.from / "checkpoints", "last");
        if (!newest) {
            return std::move(newest).error();
        }
        source = std::move(*newest);
    }
    Status done = run.prepare();
    if (done && source) {
        done = run.start_from(source->folder);
    }
    if (!done) {
        return done;
    }
    Result<RunFolder> folder = create_folder(request, wiring);
    return folder ? run.begin(std::move(*folder)) : Status(std::move(folder).error());
}

// The folder is locked first, so that nobody writes to it while it is read.
Status resume(Run& run, const TrainingRequest& request) {
    Result<RunFolder> folder = RunFolder::reopen(request.resume);
    if (!folder) {
        return std::move(folder).error();
    }
    return run.resume(std::move(*folder));
}

// On failure, adds what the run can be resumed from.
Status loop(Run& run, bool quiet) {
    Status done;
    try {
        done = run.loop(quiet);
    } catch (const std::bad_alloc&) {
        done = environment_problem("there is not enough memory to continue the run");
    }
    if (!done) {
        std::string& help = done.error().help;
        help += (help.empty() ? "" : "; ") + run.saved();
    }
    return done;
}

}  // namespace

std::optional<TrainingResult> run_training(const TrainingRequest& request, const Notice& notice, Problems& problems) {
    const bool resumes = !request.resume.empty();
    Setup setup =
        resumes ? set_up_resumed(request.resume, request.request, problems) : set_up(request.request, problems);
    if (problems.empty()) {
        check_executor(*setup.wiring, problems);
    }
    if (!problems.empty()) {
        return std::nullopt;
    }
    const Wiring& wiring = *setup.wiring;
    Run run(std::move(setup), notice, request.dump);
    Status done = resumes ? resume(run, request) : begin(run, request, wiring);
    if (done) {
        done = loop(run, request.quiet);
    }
    if (!done) {
        run.discard_if_nothing_is_lost();
        problems.push_back(std::move(done).error());
        return std::nullopt;
    }
    return run.result();
}

}  // namespace tenon
