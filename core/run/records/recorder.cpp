// SPDX-License-Identifier: Apache-2.0
#include "run/records/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "compute/graph/metric_names.hpp"
#include "config/manifest/pace.hpp"
#include "run/records/metric_names.hpp"
#include "train/plan/evaluations.hpp"

namespace tenon {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::string below_train(std::string_view name, std::string_view of = {}) {
    return std::string(metric::kTrain).append(name).append(of);
}

// The name of a scheduled live value in the records.
std::string scheduled_name(const std::string& option) {
    if (option == "optimiser.lr") {
        return below_train(metric::kLearningRate);
    }
    return option == "exploration.epsilon" ? std::string(metric::kExplorationRate) : "schedule/" + option;
}

}  // namespace

std::vector<std::string> metric_names(const Wiring& wiring) {
    std::vector<std::string> names;
    for (const auto name :
         {metric::kFrames, metric::kEpisodes, metric::kEpisodeReturnMean, metric::kEpisodeLengthMean}) {
        names.emplace_back(name);
    }
    for (const Schedule& schedule : wiring.live.schedules) {
        names.push_back(scheduled_name(wiring.live.names[schedule.index]));
    }
    if (wiring.manifest.parameter_noise) {
        names.emplace_back(metric::kParameterNoise);
        names.emplace_back(metric::kParameterNoiseDistance);
    }
    if (wiring.learns()) {
        names.push_back(below_train(metric::kUpdates));
        names.push_back(below_train(metric::kLeftOut));
    }
    for (const ObjectivePlan& plan : wiring.objectives) {
        const graph::Graph& graph = plan.update.graph;
        const std::string of = plan.name.empty() ? "" : plan.name + "/";
        const auto add = [&](std::string_view name, std::string_view what = {}) {
            names.push_back(below_train(of + std::string(name), what));
        };
        add(metric::kLoss);
        for (const graph::Loss& loss : graph.losses) {
            add(metric::kLossOf, loss.name);
        }
        for (const std::string& name : metrics_of(plan)) {
            add(name);
        }
        for (const graph::Stage& stage : graph.stages) {
            add(metric::kGradNormOf, stage.name);
        }
    }
    // always, so that a resumed run with other [eval] settings has the same columns
    for (const std::string& name : score_names(wiring.manifest)) {
        const std::string prefix = "eval/" + name + (name.empty() ? "" : "/");
        for (const auto own : {metric::kEvalReturnMean, metric::kEvalReturnStd, metric::kEvalLengthMean}) {
            names.push_back(prefix + std::string(own));
        }
    }
    names.emplace_back(metric::kFramesPerSecond);
    names.emplace_back(metric::kSeconds);
    for (std::size_t work = 0; wiring.manifest.log.profile && work < kWorks; ++work) {
        names.push_back(std::string(metric::kTime).append(name_of(static_cast<Work>(work))));
    }
    return names;
}

Result<Recorder> Recorder::open(const std::filesystem::path& folder, const Wiring& wiring, const Profile* profile) {
    const std::vector<std::string> names = metric_names(wiring);
    Result<Metrics> metrics = Metrics::open(folder, names);
    if (!metrics) {
        return std::move(metrics).error();
    }
    EventFiles events(folder / "tensorboard", {names.begin() + 1, names.end()});  // their steps are positions
    return Recorder(std::move(*metrics), std::move(events), wiring, profile, names.size());
}

Recorder::Recorder(Metrics metrics, EventFiles events, const Wiring& wiring, const Profile* profile, std::size_t width)
    : metrics_(std::move(metrics)),
      events_(std::move(events)),
      wiring_(&wiring),
      evaluations_(score_names(wiring.manifest).size()),
      profile_(profile),
      row_(width, kNothing) {}

void Recorder::fill(std::vector<double>& row, const Trainer& trainer, std::span<const Score> scores, double seconds,
                    double per_second) const {
    std::size_t at = 0;
    const auto put = [&](double value) { row[at++] = value; };
    const Episodes& episodes = trainer.collector().episodes();
    const bool any = episodes.finished() > 0;
    put(static_cast<double>(trainer.standing().frames));
    put(static_cast<double>(episodes.finished()));
    put(any ? episodes.mean_return() : kNothing);
    put(any ? episodes.mean_length() : kNothing);
    for (const Schedule& schedule : wiring_->live.schedules) {
        put(wiring_->live.values[schedule.index]);
    }
    if (const ParameterNoise* noise = trainer.parameter_noise(); noise != nullptr) {
        put(noise->sigma(trainer.numbers()));
        put(noise->distance());
    }
    if (wiring_->learns()) {
        const bool leaves_out = wiring_->manifest.train.on_not_finite == "leave_out";
        put(static_cast<double>(trainer.standing().updates));
        put(leaves_out ? static_cast<double>(trainer.standing().left_out) : kNothing);
    }
    for (const LearningUnit& unit : trainer.units()) {
        const UpdateMeans& means = unit.means();
        put(std::accumulate(means.losses.begin(), means.losses.end(), 0.0,
                            [](double sum, const Mean& mean) { return sum + mean.value(); }));
        for (const auto* list : {&means.losses, &means.metrics, &means.gradient_norms}) {
            std::for_each(list->begin(), list->end(), [&](const Mean& mean) { put(mean.value()); });
        }
    }
    for (std::size_t i = 0; i < evaluations_; ++i) {
        put(scores.empty() ? kNothing : scores[i].return_mean);
        put(scores.empty() ? kNothing : scores[i].return_std);
        put(scores.empty() ? kNothing : scores[i].length_mean);
    }
    put(only_learns(wiring_->manifest) ? kNothing : per_second);
    put(seconds);
    if (wiring_->manifest.log.profile) {
        const std::array<double, kWorks> now = profile_ != nullptr ? profile_->seconds() : spent_;
        for (std::size_t work = 0; work < kWorks; ++work) {
            put(profile_ != nullptr ? now[work] - spent_[work] : kNothing);
        }
    }
}

Status Recorder::record(Trainer& trainer, std::span<const Score> scores, double seconds, double per_second) {
    fill(row_, trainer, scores, seconds, per_second);
    for (LearningUnit& unit : trainer.units()) {
        unit.means().forget();
    }
    spent_ = profile_ != nullptr ? profile_->seconds() : spent_;
    Status done = metrics_.record(row_);
    if (done && wiring_->manifest.log.tensorboard) {
        const double wall_time_s =
            std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
        done = events_.record(wall_time_s, trainer.position(), std::span(row_).subspan(1));
    }
    return done;
}

std::vector<std::pair<std::string, double>> Recorder::now(const Trainer& trainer, std::span<const Score> scores,
                                                          double seconds, double per_second) const {
    std::vector<double> row(row_.size());
    fill(row, trainer, scores, seconds, per_second);
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
