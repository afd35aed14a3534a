// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/file/atomic.hpp"
#include "config/option/toml_text.hpp"
#include "run/history/history_reader.hpp"
#include "run/search/search.hpp"
#include "run/start/executor_check.hpp"
#include "run/sweep/seeds.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

Point next_point(const SweepFile& file, const std::vector<Observation>& known, std::size_t number) {
    if (file.search == "grid") {
        return grid_point(file.space, number);
    }
    return file.search == "random" ? random_point(file.space, file.seed, number)
                                   : tpe_point(file.space, known, file.seed, number);
}

std::vector<std::string> values_at(const SweepFile& file, const Point& point) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < point.size(); ++i) {
        out.push_back(value_text(file.keys[i], file.space[i], point[i]));
    }
    return out;
}

std::filesystem::path folder_of_trial(const std::filesystem::path& out, std::size_t number) {
    return out / ("trial-" + std::to_string(number));
}

// The last value that the run has recorded. A problem: it has no such metric at all.
Result<double> score_of(const SweepFile& file, const std::filesystem::path& folder) {
    HistoryReader history(folder, {file.metric});
    if (const auto read = history.read_more(); !read) {
        return read.error();
    }
    if (history.records() > 0 && std::ranges::find(history.names(), file.metric) == history.names().end()) {
        const std::vector<std::string_view> names(history.names().begin(), history.names().end());
        return input_problem("no run records the metric '" + file.metric + "'" + did_you_mean(file.metric, names),
                             file.metric_place, "the metrics are the columns of " + (folder / "metrics.csv").string());
    }
    double out = kNoScore;
    for (const double value : history.column(file.metric)) {
        out = std::isfinite(value) ? value : out;
    }
    return out;
}

// What the runs of one trial have given.
Status take_results(const SweepFile& file, std::span<const SeedRun> runs, SweepTrial& trial) {
    double sum = 0;
    for (const SeedRun& run : runs) {
        trial.seconds += std::isfinite(run.seconds) ? run.seconds : 0;
        trial.scores.push_back(kNoScore);
        const std::string name = "the run with seed " + std::to_string(run.seed);
        if (run.code != 0) {
            if (trial.code == 0) {
                trial.code = run.code;
                trial.error = name + " failed" + (run.error.empty() ? "" : ": " + run.error);
            }
            continue;
        }
        const Result<double> score = score_of(file, run.folder);
        if (!score) {
            return score.error();
        }
        trial.scores.back() = *score;
        sum += *score;
        if (!std::isfinite(*score) && trial.error.empty()) {
            trial.error = name + " has recorded no value of " + file.metric;
        }
    }
    trial.score = trial.error.empty() ? sum / static_cast<double>(runs.size()) : kNoScore;
    return {};
}

std::ptrdiff_t best_of(const SweepFile& file, const std::vector<SweepTrial>& trials) {
    std::ptrdiff_t best = -1;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const double score = trials[i].score;
        const double before = best < 0 ? kNoScore : trials[static_cast<std::size_t>(best)].score;
        if (std::isfinite(score) && (best < 0 || (file.maximise ? score > before : score < before))) {
            best = static_cast<std::ptrdiff_t>(i);
        }
    }
    return best;
}

// A manifest that includes the base and has the values of the trial.
Status write_best(const SweepFile& file, const std::filesystem::path& out, const SweepTrial& trial,
                  std::size_t number) {
    std::error_code code;
    const std::filesystem::path base =
        std::filesystem::proximate(std::filesystem::absolute(file.base), std::filesystem::absolute(out), code);
    std::string text = "# Trial " + std::to_string(number) + " of a sweep: " + file.metric + " = " +
                       toml_float(trial.score) + "\ninclude = [" + toml_string(base.string()) + "]\n";
    for (std::size_t i = 0; i < trial.values.size(); ++i) {
        text += file.keys[i].key + " = " + trial.values[i] + "\n";
    }
    return write_file(out / "best.toml", text);
}

class Sweeper {
public:
    Sweeper(const SweepFile& file, const SweepRequest& request, std::vector<SweepTrial> known)
        : file_(file), request_(request) {
        out_.trials = std::move(known);
    }

    Result<Sweep> run(const Manifest& manifest) {
        set_length(launch_, manifest);
        launch_.program = request_.program;
        launch_.words = {file_.base.string()};
        launch_.words.insert(launch_.words.end(), request_.words.begin(), request_.words.end());
        launch_.jobs = request_.jobs;
        launch_.out = request_.out;
        launch_.quiet = request_.quiet;
        if (Status begun = write_journal(journal_, file_.text, out_.trials); !begun) {  // what the folder is for
            return std::move(begun).error();
        }
        while (out_.trials.size() < file_.trials && !out_.stopped) {
            if (Status done = run_batch(); !done) {
                return std::move(done).error();
            }
        }
        out_.best = best_of(file_, out_.trials);
        if (out_.best >= 0) {
            const auto best = static_cast<std::size_t>(out_.best);
            if (Status written = write_best(file_, request_.out, out_.trials[best], best); !written) {
                return std::move(written).error();
            }
        }
        return std::move(out_);
    }

private:
    // Grid and random points do not depend on results, so that there may be as many trials at a time as fill the jobs.
    // A batch of TPE ends at a multiple of its size: what it knows is the same after a restart.
    [[nodiscard]] std::size_t batch_end() const {
        const std::size_t begin = out_.trials.size();
        const std::size_t fill = (request_.jobs + file_.seeds.size() - 1) / file_.seeds.size();
        const std::size_t end = file_.search == "tpe" ? (begin / file_.batch + 1) * file_.batch : begin + fill;
        return std::min(end, file_.trials);
    }

    Status run_batch() {
        const std::size_t begin = out_.trials.size();
        const std::size_t end = batch_end();
        std::vector<Observation> known;
        for (std::size_t i = 0; i < begin / file_.batch * file_.batch; ++i) {
            const double score = out_.trials[i].score;
            known.push_back({.point = out_.trials[i].point, .loss = file_.maximise ? -score : score});
        }
        std::vector<SweepTrial> batch;
        std::vector<SeedRun> runs;
        for (std::size_t number = begin; number < end; ++number) {
            SweepTrial trial{.point = next_point(file_, known, number), .values = {}, .scores = {}, .error = {}};
            trial.values = values_at(file_, trial.point);
            if (Status planned = plan_runs(trial, number, runs); !planned) {
                return planned;
            }
            batch.push_back(std::move(trial));
        }
        SeedRuns done = launch_runs(launch_, std::move(runs));
        out_.stopped = done.stopped;
        if (done.stopped) {  // which of its runs are complete, the next call finds out
            return {};
        }
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const std::size_t seeds = file_.seeds.size();
            if (Status taken = take_results(file_, std::span(done.runs).subspan(i * seeds, seeds), batch[i]); !taken) {
                return taken;
            }
            out_.trials.push_back(std::move(batch[i]));
        }
        return write_journal(journal_, file_.text, out_.trials);
    }

    Status plan_runs(const SweepTrial& trial, std::size_t number, std::vector<SeedRun>& runs) {
        const std::filesystem::path folder = folder_of_trial(request_.out, number);
        std::vector<std::string> words;
        for (std::size_t i = 0; i < trial.values.size(); ++i) {
            words.insert(words.end(), {"--set", file_.keys[i].key + "=" + trial.values[i]});
        }
        for (const std::int64_t seed : file_.seeds) {
            runs.push_back(seed_run(seed, folder / std::to_string(seed)));
            runs.back().words = words;
        }
        return make_folders(folder);
    }

    const SweepFile& file_;
    const SweepRequest& request_;
    std::filesystem::path journal_ = request_.out / "journal.jsonl";
    SeedsRequest launch_;
    Sweep out_;
};

// Wires the base with the values of the first trial. A problem of a value gets its place in the sweep's file.
Setup first_setup(const SweepFile& file, const SweepRequest& request, Problems& problems) {
    const std::vector<std::string> values = values_at(file, next_point(file, {}, 0));
    Request base{.manifest = file.base, .plugins = request.plugins};
    const std::string prefix = "[space] ";
    for (std::size_t i = 0; i < values.size(); ++i) {
        base.overrides.push_back({file.keys[i].key + "=" + values[i], prefix + std::to_string(i)});
    }
    Setup out = set_up(base, problems);
    for (Problem& problem : problems) {
        if (problem.place.file.empty()) {
            problem.place = file.base_place;
        }
        if (problem.place.file.starts_with(prefix)) {
            problem.place = file.keys[std::stoul(problem.place.file.substr(prefix.size()))].place;
        }
    }
    return out;
}

}  // namespace

std::optional<Manifest> check_sweep(const SweepFile& file, const SweepRequest& request, Problems& problems) {
    const Setup setup = first_setup(file, request, problems);
    if (problems.empty()) {
        check_executor(*setup.wiring, problems);
    }
    return problems.empty() ? std::optional(setup.wiring->manifest) : std::nullopt;
}

Result<Sweep> run_sweep(const SweepFile& file, const SweepRequest& request, const Manifest& manifest) {
    const Result<FileDescriptor> lock = lock_runs(request.out);
    if (!lock) {
        return lock.error();
    }
    Result<std::vector<SweepTrial>> known = read_journal(request.out / "journal.jsonl", file.text);
    if (!known) {
        return known.error();
    }
    return Sweeper(file, request, *std::move(known)).run(manifest);
}

}  // namespace tenon
