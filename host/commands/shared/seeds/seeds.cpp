// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/seeds.hpp"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <system_error>

#include "base/data/mapped.hpp"
#include "base/file/atomic.hpp"
#include "base/file/lock.hpp"
#include "base/file/stop_signals.hpp"
#include "base/log/log.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/parse.hpp"
#include "folder/records/folder.hpp"
#include "folder/records/lock.hpp"
#include "run/sessions/progress.hpp"
#include "run/sessions/resume.hpp"
#include "run/start/setup.hpp"
#include "shared/history/history_reader.hpp"
#include "shared/seeds/child.hpp"
#include "shared/seeds/remote_request.hpp"
#include "shared/seeds/remote_run.hpp"
#include "shared/seeds/run_log.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kLockSeconds = 60;  // a run whose launcher was killed is writing its checkpoint
constexpr double kLookSeconds = 0.5;
constexpr const char* kFrames = "frames";
constexpr const char* kUpdates = "train/n_updates";
constexpr const char* kReturn = "rollout/ep_rew_mean";
constexpr const char* kScore = "eval/mean_reward";
constexpr const char* kSeconds = "time/time_elapsed";

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double last_of(std::span<const double> column) {
    return column.empty() ? kNone : column.back();
}

// Reads what the run has recorded since the previous call.
void read_records(SeedRun& run, HistoryReader& history) {
    if (const auto growth = history.read_more(); !growth || (growth->records == 0 && !growth->restarted)) {
        return;
    }
    run.frames = last_of(history.column(kFrames));
    run.seconds = 0;
    double before = 0;  // the clock begins at 0 again in each process
    for (const double seconds : history.column(kSeconds)) {
        run.seconds += seconds >= before ? seconds - before : seconds;
        before = seconds;
    }
    run.last = kNone;
    run.best = kNone;
    for (const double score : history.column(kScore)) {
        if (std::isfinite(score)) {
            run.last = score;
            run.best = std::isfinite(run.best) ? std::max(run.best, score) : score;
        }
    }
}

struct Slot {
    std::vector<int> processors;
    std::size_t machine = 0;
    PrivateDescriptor input;  // of a run on another machine; it leaves when this is closed
    std::size_t run = 0;
    pid_t child = 0;  // 0: free, or waiting for the lock
    bool taken = false;
    double since = 0;
    std::streamoff log_begin = 0;
};

class Launcher {
public:
    Launcher(const SeedsRequest& request, RunSource source) : request_(request), source_(std::move(source)) {
        for (std::size_t i = 0; i < request.machines.all.size(); ++i) {
            const std::size_t count = request.machines.all[i].slots;
            for (std::vector<int>& share :
                 is_remote() ? std::vector<std::vector<int>>(count) : share_processors(count)) {
                slots_.push_back({.processors = std::move(share), .machine = i, .input = {}});
            }
        }
        left_out_.resize(request.machines.all.size());
    }

    SeedRuns run() {
        const StopSignals signals;
        Progress progress(request_.quiet ? -1 : STDERR_FILENO, terminal_style(STDERR_FILENO), request_.total,
                          request_.unit);
        double looked = 0;
        for (bool busy = true; busy;) {
            if (StopSignals::requested() && !out_.stopped) {
                out_.stopped = true;
                stop();
            }
            busy = false;
            for (Slot& slot : slots_) {
                serve(slot);
                busy = busy || slot.taken;
            }
            busy = busy || ((may_have_more_ || !again_.empty()) && !leaves());
            const double now = seconds_now();
            if (now - looked >= kLookSeconds || !busy) {
                looked = now;
                show(progress, now);
            }
            const timespec pause{.tv_sec = 0, .tv_nsec = 20'000'000};
            ::nanosleep(&pause, nullptr);
        }
        return std::move(out_);
    }

    [[nodiscard]] const Status& status() const { return status_; }

private:
    void serve(Slot& slot) {
        if (slot.child > 0) {
            int status = 0;
            if (::waitpid(slot.child, &status, WNOHANG) == slot.child) {
                end(slot, status);
            }
        }
        if (!slot.taken && !leaves() && !left_out_[slot.machine] && !again_.empty()) {
            slot.run = again_.front();
            slot.taken = true;
            slot.since = seconds_now();
            again_.pop_front();
        }
        if (!slot.taken && !leaves() && !left_out_[slot.machine] && may_have_more_) {
            Result<std::optional<SeedRun>> next = source_.next();
            if (!next) {
                return fail(std::move(next).error());
            }
            may_have_more_ = next->has_value();
            if (*next) {
                slot.run = out_.runs.size();
                slot.taken = true;
                slot.since = seconds_now();
                out_.runs.push_back(*std::move(*next));
                histories_.emplace_back(out_.runs.back().folder,
                                        std::vector<std::string>{kFrames, kUpdates, kReturn, kScore, kSeconds});
            }
        }
        if (slot.taken && slot.child == 0) {
            begin(slot);
        }
    }

    [[nodiscard]] bool leaves() const { return out_.stopped || !status_; }

    void fail(Problem problem) {
        if (status_) {
            status_ = std::move(problem);
            stop();
        }
    }

    // Tells the source that a run has ended.
    void tell(const SeedRun& run) {
        may_have_more_ = true;
        if (leaves()) {
            return;
        }
        if (Status told = source_.ended(run); !told) {
            fail(std::move(told).error());
        }
    }

    void begin(Slot& slot) {
        SeedRun& run = out_.runs[slot.run];
        std::error_code code;
        const bool resumes = check_holds_run(run.folder).has_value();
        if (resumes) {
            if (const Result<PrivateDescriptor> lock = lock_run(run.folder); !lock) {
                if (seconds_now() - slot.since > kLockSeconds || leaves()) {
                    run.code = static_cast<int>(lock.error().fault);
                    run.error = lock.error().sentence;
                    slot.taken = false;
                    tell(run);
                }
                return;
            }
        }
        const fs::path log = log_of(run);
        slot.log_begin = fs::exists(log, code) ? static_cast<std::streamoff>(fs::file_size(log, code)) : 0;
        std::vector<std::string> words = request_.words;
        words.insert(words.end(), run.words.begin(), run.words.end());
        words.insert(words.end(),
                     {"--seed", std::to_string(run.seed), resumes ? "--resume" : "--out", run.folder.string()});
        if (const Status started = start(slot, std::move(words), log); !started) {
            run.code = static_cast<int>(started.error().fault);
            run.error = started.error().sentence;
            slot.taken = false;
            tell(run);
        }
    }

    Status start(Slot& slot, std::vector<std::string> words, const fs::path& log) const {
        if (is_remote()) {
            RemoteRun run = TENON_TRY(start_remote(command_of(slot), request_.program, "run", std::move(words), log));
            slot.child = run.child;
            slot.input = std::move(run.input);
            return {};
        }
        words.insert(words.begin(), {"tenon", "run"});
        slot.child = TENON_TRY(start_child(request_.program, std::move(words), log, slot.processors));
        return {};
    }

    [[nodiscard]] std::vector<std::string> command_of(const Slot& slot) const {
        return command_on(request_.machines, request_.machines.all[slot.machine]);
    }

    // Leaves out a machine whose command failed, and makes its run on another one. False: there is none.
    bool moves_to_another_machine(const Slot& slot, const std::string& error) {
        bool another = false;
        for (std::size_t i = 0; i < left_out_.size(); ++i) {
            another = another || (i != slot.machine && !left_out_[i]);
        }
        if (!another || leaves()) {
            return false;
        }
        left_out_[slot.machine] = true;
        log(Level::kWarning, "no more runs start on " + request_.machines.all[slot.machine].name + ", and seed " +
                                 std::to_string(out_.runs[slot.run].seed) + " moves to another machine: " + error);
        again_.push_back(slot.run);
        return true;
    }

    void end(Slot& slot, int status) {
        SeedRun& run = out_.runs[slot.run];
        slot.child = 0;
        slot.taken = false;
        slot.input = PrivateDescriptor();
        const Printed printed = read_log(log_of(run), slot.log_begin);
        const std::string failed = is_remote() ? failure_of_command(command_of(slot), status, printed) : "";
        if (leaves() && is_remote() &&
            (!printed.begun || (WIFEXITED(status) && WEXITSTATUS(status) == kStoppedEarly))) {
            return;
        }
        if (!failed.empty() && moves_to_another_machine(slot, failed)) {
            return;
        }
        if (leaves() && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) {
            return;  // stopped before it could handle signals, so it has not begun
        }
        const bool ended_itself = WIFEXITED(status) && failed.empty();
        run.code = ended_itself ? WEXITSTATUS(status) : static_cast<int>(Fault::kEnvironment);
        if (run.code != 0) {
            run.error = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) + " ended its process"
                                            : printed.error;
            run.error = failed.empty() ? run.error : failed;
        }
        // the code means nothing: a plugin has ended the process with it
        if (run.code == 0 && !was_released(run.folder)) {
            run.code = static_cast<int>(Fault::kPlugin);
            run.error = "its process ended in the middle of the run with exit code 0, probably by a plugin";
        }
        look(slot.run);
        tell(run);
    }

    void stop() {
        for (Slot& slot : slots_) {
            if (is_remote()) {
                slot.input = PrivateDescriptor();
            } else if (slot.child > 0) {
                ::kill(slot.child, SIGINT);
            }
        }
    }

    [[nodiscard]] bool is_remote() const { return !request_.machines.via.empty(); }

    void look(std::size_t number) {
        SeedRun& run = out_.runs[number];
        HistoryReader& history = histories_[number];
        read_records(run, history);
        const double at = last_of(history.column(request_.unit == "frame" ? kFrames : kUpdates));
        positions_[run.folder.string()] = std::isfinite(at) ? at : 0;
        returns_[run.folder.string()] = last_of(history.column(kReturn));
    }

    void show(Progress& progress, double now) {
        for (const Slot& slot : slots_) {
            if (slot.taken) {
                look(slot.run);
            }
        }
        double position = 0;
        double sum = 0;
        int known = 0;
        for (const auto& [folder, at] : positions_) {
            position += at;
        }
        for (const auto& [folder, at] : returns_) {
            sum += std::isfinite(at) ? at : 0;
            known += std::isfinite(at) ? 1 : 0;
        }
        const auto most = static_cast<double>(request_.total);
        progress.update({.frames = static_cast<std::int64_t>(std::min(position, most)),
                         .return_mean = known > 0 ? sum / known : kNone},
                        now);
    }

    [[nodiscard]] static fs::path log_of(const SeedRun& run) { return run.folder.string() + ".log"; }

    const SeedsRequest& request_;
    RunSource source_;
    SeedRuns out_;
    Status status_;
    bool may_have_more_ = true;
    std::deque<HistoryReader> histories_;
    std::map<std::string, double> positions_;  // by folder: several runs may continue each other
    std::map<std::string, double> returns_;
    std::vector<Slot> slots_;
    std::vector<bool> left_out_;     // by machine: its command has failed
    std::deque<std::size_t> again_;  // runs to be made on another machine
};

}  // namespace

void set_length(SeedsRequest& request, const Manifest& manifest) {
    request.length = run_length(manifest);
    request.unit = unit_of(manifest);
}

SeedRun seed_run(std::int64_t seed, fs::path folder) {
    return {.seed = seed,
            .folder = std::move(folder),
            .error = {},
            .frames = kNone,
            .last = kNone,
            .best = kNone,
            .seconds = kNone};
}

Result<PrivateDescriptor> lock_runs(const fs::path& out) {
    if (check_holds_run(out)) {
        return input_problem(out.string() + " is the folder of a run; give several runs another --out");
    }
    TENON_TRY(make_folders(out));
    return lock_alone(out / "lock", "another process is writing the runs in " + out.string());
}

SeedRuns launch_runs(const SeedsRequest& request, std::vector<SeedRun> runs) {
    SeedsRequest sized = request;
    sized.total = request.length * static_cast<std::int64_t>(runs.size());
    std::size_t begun = 0;
    const auto next = [&]() -> Result<std::optional<SeedRun>> {
        return begun < runs.size() ? std::optional(runs[begun++]) : std::nullopt;
    };
    SeedRuns out = Launcher(sized, {.next = next, .ended = [](const SeedRun&) { return Status(); }}).run();
    for (std::size_t i = out.runs.size(); i < runs.size(); ++i) {
        out.runs.push_back(std::move(runs[i]));
    }
    return out;
}

Result<bool> launch_runs_from(const SeedsRequest& request, RunSource source) {
    Launcher launcher(request, std::move(source));
    const SeedRuns runs = launcher.run();
    return launcher.status() ? Result<bool>(runs.stopped) : Result<bool>(launcher.status().error());
}

Status check_same_manifest(const SeedsRequest& request, const Wiring& wiring) {
    for (const std::int64_t seed : request.seeds) {
        const fs::path folder = request.out / std::to_string(seed);
        if (!check_holds_run(folder)) {
            continue;
        }
        Problems problems;
        const std::optional<Document> before = read_manifest((folder / "manifest.lock.toml").string(), {}, problems);
        Result<TomlTable> now = parse_toml(resolved_manifest(wiring), folder.string());
        if (!before || !now) {
            continue;  // the run itself reports the problem
        }
        const Document document{.root = std::move(*now), .place = {}};
        if (Status same = check_same_run(*before, document, folder, {"run.seed"}); !same) {
            Problem problem = std::move(same).error();
            problem.help = "give the runs of this manifest another folder with --out, or restore these values";
            return problem;
        }
    }
    return {};
}

Result<SeedRuns> run_seeds(const SeedsRequest& request) {
    TENON_TRY(lock_runs(request.out));
    auto runs = mapped<SeedRun>(
        request.seeds, [&](const std::int64_t seed) { return seed_run(seed, request.out / std::to_string(seed)); });
    return launch_runs(request, std::move(runs));
}

}  // namespace tenon
