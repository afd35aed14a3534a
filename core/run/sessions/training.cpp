// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/training.hpp"

#include <memory>
#include <new>

#include "base/simd/level.hpp"
#include "compute/exec/build_id.hpp"
#include "config/manifest/allowed.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/shards.hpp"
#include "engines/shards/shard_cost.hpp"
#include "engines/shards/shard_place.hpp"
#include "engines/shards/shards.hpp"
#include "engines/shards/shared_executor.hpp"
#include "folder/records/folder.hpp"
#include "folder/records/trace_file.hpp"
#include "run/sessions/resume.hpp"
#include "run/sessions/run.hpp"
#include "run/start/executor.hpp"
#include "run/start/fingerprints.hpp"
#include "run/start/libtorch.hpp"
#include "train/checkpoint/store.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/column_readers.hpp"
#include "train/plan/update_device.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostEvents = 500'000;  // of a trace

Result<RunFolder> create_folder(const TrainingRequest& request, const Wiring& wiring, const Notice& notice) {
    const std::string plugins = TENON_TRY(plugin_fingerprints(wiring));
    RunFolder out =
        TENON_TRY(RunFolder::create(request.out, "runs", wiring.manifest.run.name, resolved_manifest(wiring), plugins));
    if (!out.others().empty()) {
        notice(out.path().string() + " has other things in it (" + out.others() +
               "), and now the files of the run too; to keep them apart, give --out a new folder");
    }
    return out;
}

// The run's folder is created last, so that a failure before it leaves nothing behind.
Status begin(Run& run, const TrainingRequest& request, const Wiring& wiring, const Notice& notice, Shards* shards) {
    TENON_TRY(shards != nullptr ? shards->begin_from({}) : Status());  // so that all prepare at the same time
    std::optional<Checkpoint> source;
    if (!request.from.empty()) {
        TENON_TRY(check_holds_run(request.from));
        source = TENON_TRY(find_checkpoint(request.from / "checkpoints", "last"));
    }
    TENON_TRY(run.prepare());
    if (source) {
        TENON_TRY(run.start_from(source->folder));
    }
    return run.begin(TENON_TRY(create_folder(request, wiring, notice)));
}

// The folder is locked first, so that nobody writes to it while it is read.
Status resume(Run& run, const TrainingRequest& request) {
    RunFolder folder = TENON_TRY(RunFolder::reopen(request.resume));
    return run.resume(std::move(folder), !request.changed.empty());
}

// Runs the loop. On failure it adds the checkpoint from which the run can be resumed, unless that happens without help.
Status loop(Run& run, const TrainingRequest& request) {
    Status done;
    try {
        done = run.loop(request.quiet);
    } catch (const std::bad_alloc&) {
        done = environment_problem("there is not enough memory to continue the run");
    }
    if (!done && !(request.is_restarted && done.error().fault == Fault::kEnvironment)) {
        std::string& help = done.error().help;
        help += (help.empty() ? "" : "; ") + run.saved();
    }
    return done;
}

// Begins by writing an empty trace, so that a file that cannot be written is found before the run.
Status begin_profile(const TrainingRequest& request, Host& host, const Manifest& manifest) {
    if (request.profile || manifest.log.profile || !request.trace.empty()) {
        host.profile = std::make_unique<Profile>();
    }
    if (request.trace.empty()) {
        return {};
    }
    host.profile->keep_events(kMostEvents);
    Status written = write_trace(*host.profile, request.trace);
    if (!written) {
        written.error().sentence =
            "the trace " + request.trace.string() + " cannot be made: " + written.error().sentence;
    }
    return written;
}

Status end_trace(const Profile& profile, const std::filesystem::path& file, const Notice& notice) {
    if (profile.has_dropped_events()) {
        notice("the trace has the first " + std::to_string(kMostEvents) + " spans of the run; later ones are left out");
    }
    return write_trace(profile, file);
}

// Warns of unread columns, as `tenon validate` does: a run that does not read an important column learns nothing, and
// shows no other sign of it.
void tell_unread(const Wiring& wiring, const Notice& notice) {
    Problems warnings;
    warn_of_unread(wiring, warnings);
    for (const Problem& warning : unless_allowed(wiring.manifest, kUnreadColumn, std::move(warnings))) {
        notice(render_unlabelled(warning));
    }
}

// Trains in this process, as the whole run or as its first shard.
std::optional<TrainingResult> train(Setup setup, const TrainingRequest& request, const Notice& notice, Shards* shards,
                                    Problems& problems) {
    const Wiring& wiring = *setup.wiring;
    if (request.resume.empty()) {
        tell_unread(wiring, notice);
    }
    if (!is_done(begin_profile(request, *setup.host, wiring.manifest), problems)) {
        return std::nullopt;
    }
    const Profile* const profile = setup.host->profile.get();
    Run run(std::move(setup), notice, request.leave, request.dump, shards);
    Status done = request.resume.empty() ? begin(run, request, wiring, notice, shards) : resume(run, request);
    if (done) {
        done = loop(run, request);
    }
    if (Status traced = request.trace.empty() ? Status() : end_trace(*profile, request.trace, notice); done) {
        done = std::move(traced);
    }
    if (!is_done(done, problems)) {
        run.discard_if_nothing_is_lost();
        return std::nullopt;
    }
    return run.result();
}

// Trains as a shard that follows the first one. A resumed shard that no longer trusted the compiled executor stays on
// the reference one.
Status follow(Setup setup, const TrainingRequest& request, Shards& shards) {
    const Wiring& wiring = *setup.wiring;
    const std::filesystem::path checkpoint = TENON_TRY(shards.where_to_begin());
    const bool continues = !checkpoint.empty() && shards_of(checkpoint) == shards.group().count();
    const std::filesystem::path own =
        checkpoint.empty() ? "" : folder_of_shard(checkpoint, continues ? shards.rank() : 0);
    const Origin origin = TENON_TRY(continues ? origin_of(own) : Origin{});
    const std::unique_ptr<Executor> executor =
        make_shared_executor(TENON_TRY(load_executor_of(wiring, setup.host->pool, origin.executor, {},
                                                        device_to_learn_on(wiring), true, setup.host->exchange)),
                             shards.group());
    const std::unique_ptr<Trainer> trainer =
        TENON_TRY(Trainer::make(wiring, setup.running, *setup.host, executor.get()));
    if (!request.from.empty()) {
        const Checkpoint source = TENON_TRY(find_checkpoint(request.from / "checkpoints", "last"));
        TENON_TRY(restore_weights(trainer->learner(), source.folder));
        TENON_TRY(restore_transforms(trainer->source().lanes(), source.folder));
    }
    if (!own.empty()) {
        TENON_TRY(restore(*trainer, own, !continues));
    }
    return follow(*trainer, executor.get(), shards);
}

// What `auto` compares compiled programs with, and shards compare them together.
std::string libtorch_of(const Wiring& wiring) {
    if (wiring.manifest.run.executor == "compiled") {
        return "";
    }
    const Result<Libtorch> found = find_libtorch();
    return found ? found->version : "none";
}

// What all shards of a run must have in common.
Result<std::vector<Common>> common_of(const Wiring& wiring) {
    const std::string plugins = TENON_TRY(plugin_fingerprints(wiring));
    return std::vector<Common>{
        {.name = "build of Tenon", .value = build_id()},
        {.name = "set of vector instructions", .value = std::string(simd::name_of(simd::level())), .shown = true},
        {.name = "libtorch", .value = libtorch_of(wiring), .shown = true},
        {.name = "set of plugin files (plugins.toml)", .value = plugins},
        {.name = "manifest", .value = resolved_manifest(wiring)}};
}

// Another shard prints the problem.
void mute_if(bool is_told, Problems& problems) {
    problems.front().sentence = is_told ? "" : problems.front().sentence;
}

// That more processes make the updates of the run slower; empty: they do not, or it is not known.
std::string slower_by_shards(const Wiring& wiring, std::size_t count) {
    for (const ObjectivePlan& plan : wiring.objectives) {
        if (const ShardCost cost = shard_cost(wiring, plan, count); cost.is_slower()) {
            return std::to_string(count) + " shards make updates of " + plan.unit.component + " slower: about " +
                   milliseconds(cost.share_us + cost.exchange_us) + " on one machine, instead of " +
                   milliseconds(cost.all_us) + "; they pay where collecting takes most of the time (`tenon explain`)";
        }
    }
    return {};
}

// Wires this process's share of the run, and trains with the other shards.
std::optional<TrainingResult> run_shard(const TrainingRequest& request, const Notice& notice, std::size_t count,
                                        const std::string& slower, Problems& problems) {
    Result<std::unique_ptr<Shards>> begun = Shards::begin(request.again, count);
    if (!is_done(begun, problems)) {
        return std::nullopt;
    }
    Shards& shards = **begun;
    Request part = request.request;
    part.shard = static_cast<std::int64_t>(shards.rank());
    Setup setup = request.resume.empty() ? set_up(part, problems)
                                         : set_up_resumed(request.resume, part, request.changed, problems);
    std::vector<Common> common;
    if (problems.empty()) {
        if (Result<std::vector<Common>> found = common_of(*setup.wiring); is_done(found, problems)) {
            common = *std::move(found);
        }
    }
    if (!problems.empty()) {
        mute_if(shards.leave_before_meeting(problems.front()), problems);
        return std::nullopt;
    }
    if (!is_done(shards.meet(common), problems)) {
        return std::nullopt;
    }
    setup.host->exchange = &shards.group();
    if (shards.rank() == 0 && !slower.empty() && !request.quiet) {
        notice(slower);
    }
    std::optional<TrainingResult> out;
    Status done = learns_on_device(*setup.wiring)
                      ? shards.link_devices(setup.wiring->device, setup.wiring->manifest.cluster.exact, notice)
                      : Status();
    if (done && shards.rank() == 0) {
        out = train(std::move(setup), request, notice, &shards, problems);
    } else {
        if (done) {
            done = follow(std::move(setup), request, shards);
        }
        if (is_done(done, problems)) {
            out.emplace().follows = true;
        }
    }
    if (!problems.empty()) {
        if (shards.has_lost_one() || problems.front().fault == Fault::kEnvironment) {
            problems.front().also.clear();  // the objective whose gradients were exchanged is no cause
        }
        shards.leave(problems.front());
        mute_if(!shards.prints_problems(), problems);
    }
    return out;
}

}  // namespace

std::optional<TrainingResult> run_training(const TrainingRequest& request, const Notice& notice, Problems& problems) {
    const bool resumes = !request.resume.empty();
    Setup setup = resumes ? set_up_resumed(request.resume, request.request, request.changed, problems)
                          : set_up(request.request, problems);
    if (problems.empty() && request.leave.at_frames && only_learns(setup.wiring->manifest)) {
        problems.push_back(
            input_problem("the run only learns, so it cannot be left at a number of frames; give a number of updates"));
    }
    if (problems.empty()) {
        check_executor(*setup.wiring, problems);
    }
    const std::int64_t shards = setup.wiring ? shard_count(setup.wiring->manifest) : 0;  // 0: unknown
    if (!problems.empty()) {
        mute_if(shards != 1 && leave_before_meeting(problems.front(), static_cast<std::size_t>(shards)), problems);
        return std::nullopt;
    }
    if (shards > 1) {
        const std::string slower = slower_by_shards(*setup.wiring, static_cast<std::size_t>(shards));
        {
            const Setup whole = std::move(setup);  // it was made to find problems, and its memory is needed
        }
        return run_shard(request, notice, static_cast<std::size_t>(shards), slower, problems);
    }
    if (const std::string warning = unshared_launch(variable_of_process); !warning.empty()) {
        notice(warning);
    }
    return train(std::move(setup), request, notice, nullptr, problems);
}

}  // namespace tenon
