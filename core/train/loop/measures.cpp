// SPDX-License-Identifier: Apache-2.0
#include "train/loop/measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "experience/replay/packed_rows.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kValuesOfScore = 3;

class Row {
public:
    Row(std::span<double> values, Measure what) : values_(values), what_(what) {}

    void put(double value) {
        if (what_ == Measure::kMeans || !std::isnan(value)) {
            values_[at_] = value;
        }
        ++at_;
    }
    [[nodiscard]] std::size_t filled() const { return at_; }
    [[nodiscard]] double of(const Mean& mean) const { return what_ == Measure::kMeans ? mean.value() : mean.newest; }

private:
    std::span<double> values_;
    Measure what_;
    std::size_t at_ = 0;
};

void put_unit(Row& row, const UpdateMeans& means) {
    double loss = 0;
    for (const Mean& mean : means.losses) {
        loss += row.of(mean);
    }
    row.put(loss);
    for (const auto* list : {&means.losses, &means.metrics, &means.gradient_norms}) {
        std::ranges::for_each(*list, [&](const Mean& mean) { row.put(row.of(mean)); });
    }
}

}  // namespace

void measure(const Trainer& trainer, std::span<const Score> scores, Measure what, std::span<double> values) {
    const Wiring& wiring = trainer.wiring();
    const Standing& standing = trainer.standing();
    Row row(values, what);
    const Episodes& episodes = trainer.collector().episodes();
    const bool any = episodes.finished() > 0;
    row.put(static_cast<double>(standing.frames));
    row.put(static_cast<double>(episodes.finished()));
    row.put(any ? episodes.mean_return() : kNotMeasured);
    row.put(any ? episodes.mean_length() : kNotMeasured);
    for (const Schedule& schedule : wiring.live.schedules) {
        row.put(wiring.live.values[schedule.index]);
    }
    for (const MovedOption& option : wiring.live.moved) {
        row.put(wiring.live.values[option.index]);
    }
    if (const PackedRows* const packed = trainer.collector().experience().packed(); packed != nullptr) {
        row.put(static_cast<double>(packed->bytes()));
    }
    if (wiring.acts_by_version()) {
        row.put(static_cast<double>(trainer.versions().behind));
    }
    if (const ParameterNoise* noise = trainer.parameter_noise(); noise != nullptr) {
        row.put(noise->sigma(trainer.numbers()));
        row.put(noise->distance());
    }
    if (wiring.learns()) {
        const bool leaves_out = wiring.manifest.train.on_not_finite == "leave_out";
        row.put(static_cast<double>(standing.updates));
        row.put(leaves_out ? static_cast<double>(standing.left_out) : kNotMeasured);
    }
    for (const LearningUnit& unit : trainer.units()) {
        put_unit(row, unit.means());
    }
    const std::span<const double> reported = trainer.hooks().reported();
    const std::size_t evaluated = values.size() - reported.size() - row.filled();
    for (std::size_t i = 0; i < evaluated / kValuesOfScore; ++i) {
        row.put(scores.empty() ? kNotMeasured : scores[i].return_mean);
        row.put(scores.empty() ? kNotMeasured : scores[i].return_std);
        row.put(scores.empty() ? kNotMeasured : scores[i].length_mean);
    }
    std::ranges::for_each(reported, [&](double value) { row.put(value); });
}

}  // namespace tenon
