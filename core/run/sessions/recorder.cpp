// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "compute/graph/metric_names.hpp"
#include "config/manifest/flatten.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/parse.hpp"
#include "folder/records/metric_names.hpp"
#include "run/start/setup.hpp"
#include "train/loop/measures.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/metric_names.hpp"

namespace tenon {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double wall_time_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<Recorder> Recorder::open(const std::filesystem::path& folder, const Wiring& wiring, const Profile* profile) {
    const std::vector<std::string> names = metric_names(wiring);
    Result<Metrics> metrics = Metrics::open(folder, names);
    if (!metrics) {
        return std::move(metrics).error();
    }
    const Result<TomlTable> manifest = parse_toml(resolved_manifest(wiring), "manifest.lock.toml");
    if (!manifest) {
        return manifest.error();
    }
    EventFiles events(folder / "tensorboard", {names.begin() + 1, names.end()},  // their steps are positions
                      hparams_of(flatten({.root = *manifest, .place = {}})));
    return Recorder(std::move(*metrics), std::move(events), wiring, profile, names.size());
}

Recorder::Recorder(Metrics metrics, EventFiles events, const Wiring& wiring, const Profile* profile, std::size_t width)
    : metrics_(std::move(metrics)),
      events_(std::move(events)),
      wiring_(&wiring),
      profile_(profile),
      row_(width, kNothing),
      late_(width, kNothing) {
    const std::vector<std::string> names = metric_names(wiring);
    const auto place = [&](const std::string& name) {
        return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    };
    updates_at_ = place(std::string(metric::kTrain).append(metric::kUpdates));
    const std::string first = score_names(wiring.manifest).front();
    scores_at_ = place("eval/" + first + (first.empty() ? "" : "/") + std::string(metric::kEvalReturnMean));
}

Status Recorder::record_late(const LateScores& late) {
    late_.front() = static_cast<double>(late.frames);
    if (updates_at_ < late_.size()) {
        late_[updates_at_] = static_cast<double>(late.updates);
    }
    std::size_t at = scores_at_;
    for (const Score& score : late.scores) {
        late_[at++] = score.return_mean;
        late_[at++] = score.return_std;
        late_[at++] = score.length_mean;
    }
    late_position_ = late.position;
    return metrics_.record(late_);
}

// The times follow everything that the trainer measures.
void Recorder::fill(std::vector<double>& row, const Trainer& trainer, std::span<const Score> scores, double seconds,
                    double per_second, const WorkTimes& spent) const {
    const std::size_t works = wiring_->manifest.log.profile ? kWorks : 0;
    const std::size_t times = row.size() - 2 - works;
    measure(trainer, scores, Measure::kMeans, std::span(row).first(times));
    row[times] = only_learns(wiring_->manifest) ? kNothing : per_second;
    row[times + 1] = seconds;
    for (std::size_t work = 0; work < works; ++work) {
        row[times + 2 + work] = spent[work] - spent_[work];
    }
}

Status Recorder::record(Trainer& trainer, std::span<const Score> scores, double seconds, double per_second) {
    const WorkTimes now = spent();
    fill(row_, trainer, scores, seconds, per_second, now);
    for (LearningUnit& unit : trainer.units()) {
        unit.means().forget();
    }
    spent_ = now;
    Status done = metrics_.record(row_);
    if (done && wiring_->manifest.log.tensorboard) {
        const double wall_time_s = wall_time_now();
        done = events_.record(wall_time_s, trainer.position(), std::span(row_).subspan(1));
        if (const auto late = std::exchange(late_position_, std::nullopt); done && late) {
            done = events_.record(wall_time_s, *late, std::span(late_).subspan(1));
        }
    }
    return done;
}

Status Recorder::picture(const Trainer& trainer, const EventPicture& picture) {
    return wiring_->manifest.log.tensorboard ? events_.picture(wall_time_now(), trainer.position(), picture) : Status();
}

std::vector<std::pair<std::string, double>> Recorder::now(const Trainer& trainer, std::span<const Score> scores,
                                                          double seconds, double per_second) const {
    std::vector<double> row(row_.size());
    fill(row, trainer, scores, seconds, per_second, spent());
    std::vector<std::pair<std::string, double>> out;
    const std::vector<std::string> names = metric_names(*wiring_);
    for (std::size_t i = 0; i < names.size(); ++i) {
        out.emplace_back(names[i], std::isnan(row[i]) ? row_[i] : row[i]);
    }
    return out;
}

Status Recorder::keep(std::uint64_t records, std::int64_t position) {
    Status done = metrics_.keep_records(records);
    return done ? events_.keep(position) : done;
}

Status Recorder::sync() {
    Status done = metrics_.sync();
    return done ? events_.sync() : done;
}

}  // namespace tenon
