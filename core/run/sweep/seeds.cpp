// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/seeds.hpp"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>
#include <memory>
#include <system_error>

#include "base/file/atomic.hpp"
#include "base/json/read.hpp"
#include "config/manifest/pace.hpp"
#include "run/records/folder.hpp"
#include "run/records/lock.hpp"
#include "run/sessions/progress.hpp"
#include "run/sessions/signals.hpp"
#include "run/sweep/child.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kLockSeconds = 60;  // a run whose launcher was killed is writing its checkpoint
constexpr double kLookSeconds = 0.5;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double number(const Json& record, std::string_view key) {
    const Json* const found = record.find(key);
    if (found == nullptr) {
        return kNone;
    }
    if (const auto* whole = found->get<std::int64_t>()) {
        return static_cast<double>(*whole);
    }
    const auto* real = found->get<double>();
    return real != nullptr ? *real : kNone;
}

// Reads the metrics of a run from byte `at` on; a partial last line is left for later.
struct Standing {
    std::streamoff at = 0;
    double position = kNone;
    double returns = kNone;
};

void look(SeedRun& run, Standing& standing, const std::string& unit) {
    std::ifstream file(run.folder / "metrics.jsonl", std::ios::binary);
    file.seekg(standing.at);
    for (std::string line; std::getline(file, line) && !file.eof();) {
        standing.at += static_cast<std::streamoff>(line.size()) + 1;
        const Result<Json> record = parse_json(line, "a record");
        if (!record) {
            continue;
        }
        run.frames = number(*record, "frames");
        run.seconds = number(*record, "time/time_elapsed");
        standing.position = number(*record, unit == "frame" ? "frames" : "train/n_updates");
        standing.returns = number(*record, "rollout/ep_rew_mean");
        const double score = number(*record, "eval/mean_reward");
        if (std::isfinite(score)) {
            run.last = score;
            run.best = std::isfinite(run.best) ? std::max(run.best, score) : score;
        }
    }
}

// The first error that a run has printed since byte `from` of its log.
std::string error_in(const fs::path& log, std::streamoff from) {
    std::ifstream file(log, std::ios::binary);
    file.seekg(from);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("error: ")) {
            return line.substr(7);
        }
    }
    return {};
}

struct Slot {
    std::vector<int> processors;
    std::size_t run = 0;
    pid_t child = 0;  // 0: free, or waiting for the lock
    bool taken = false;
    double since = 0;
    std::streamoff log_begin = 0;
};

class Launcher {
public:
    explicit Launcher(const SeedsRequest& request) : request_(request), standings_(request.seeds.size()) {
        for (const std::int64_t seed : request.seeds) {
            out_.runs.push_back({.seed = seed,
                                 .folder = request.out / std::to_string(seed),
                                 .error = {},
                                 .frames = kNone,
                                 .last = kNone,
                                 .best = kNone,
                                 .seconds = kNone});
        }
        for (std::vector<int>& share : share_processors(request.jobs)) {
            slots_.push_back({.processors = std::move(share)});
        }
    }

    SeedRuns run() {
        const StopSignals signals;
        const auto total = request_.length * static_cast<std::int64_t>(out_.runs.size());
        Progress progress(request_.quiet ? -1 : STDERR_FILENO, progress_style(STDERR_FILENO), total, request_.unit);
        double looked = 0;
        for (bool busy = true; busy;) {
            if (StopSignals::requested() && !out_.stopped) {
                stop();
            }
            busy = false;
            for (Slot& slot : slots_) {
                serve(slot);
                busy = busy || slot.taken;
            }
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

private:
    void serve(Slot& slot) {
        if (slot.child > 0) {
            int status = 0;
            if (::waitpid(slot.child, &status, WNOHANG) == slot.child) {
                end(slot, status);
            }
        }
        if (!slot.taken && !out_.stopped && next_ < out_.runs.size()) {
            slot.run = next_++;
            slot.taken = true;
            slot.since = seconds_now();
        }
        if (slot.taken && slot.child == 0) {
            begin(slot);
        }
    }

    void begin(Slot& slot) {
        SeedRun& run = out_.runs[slot.run];
        std::error_code code;
        const bool resumes = check_holds_run(run.folder).has_value();
        if (resumes) {
            if (const Result<FileDescriptor> lock = lock_run(run.folder); !lock) {
                if (seconds_now() - slot.since > kLockSeconds || out_.stopped) {
                    run.code = static_cast<int>(lock.error().fault);
                    run.error = lock.error().sentence;
                    slot.taken = false;
                }
                return;
            }
        }
        const fs::path log = log_of(run);
        slot.log_begin = fs::exists(log, code) ? static_cast<std::streamoff>(fs::file_size(log, code)) : 0;
        std::vector<std::string> words = {"tenon", "run"};
        words.insert(words.end(), request_.words.begin(), request_.words.end());
        words.insert(words.end(),
                     {"--seed", std::to_string(run.seed), resumes ? "--resume" : "--out", run.folder.string()});
        Result<pid_t> child = start_child(request_.program, std::move(words), log, slot.processors);
        if (!child) {
            run.code = static_cast<int>(child.error().fault);
            run.error = child.error().sentence;
            slot.taken = false;
            return;
        }
        slot.child = *child;
    }

    void end(Slot& slot, int status) {
        SeedRun& run = out_.runs[slot.run];
        run.code = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(Fault::kEnvironment);
        if (run.code != 0) {
            run.error = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) + " ended its process"
                                            : error_in(log_of(run), slot.log_begin);
        }
        slot.child = 0;
        slot.taken = false;
    }

    void stop() {
        out_.stopped = true;
        for (const Slot& slot : slots_) {
            if (slot.child > 0) {
                ::kill(slot.child, SIGINT);
            }
        }
    }

    void show(Progress& progress, double now) {
        double position = 0;
        double sum = 0;
        int known = 0;
        for (std::size_t i = 0; i < out_.runs.size(); ++i) {
            look(out_.runs[i], standings_[i], request_.unit);
            position += std::isfinite(standings_[i].position) ? standings_[i].position : 0;
            if (std::isfinite(standings_[i].returns)) {
                sum += standings_[i].returns;
                ++known;
            }
        }
        progress.update({.frames = static_cast<std::int64_t>(position), .return_mean = known > 0 ? sum / known : kNone},
                        now);
    }

    [[nodiscard]] static fs::path log_of(const SeedRun& run) { return run.folder.string() + ".log"; }

    const SeedsRequest& request_;
    SeedRuns out_;
    std::vector<Standing> standings_;
    std::vector<Slot> slots_;
    std::size_t next_ = 0;
};

}  // namespace

void set_length(SeedsRequest& request, const Manifest& manifest) {
    request.length = run_length(manifest);
    request.unit = unit_of(manifest);
}

Result<SeedRuns> run_seeds(const SeedsRequest& request) {
    if (Status made = make_folders(request.out); !made) {
        return std::move(made).error();
    }
    const Result<FileDescriptor> lock = lock_run(request.out);
    if (!lock) {
        return input_problem("another process is writing the runs in " + request.out.string());
    }
    return Launcher(request).run();
}

}  // namespace tenon
