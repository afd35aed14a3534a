// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "compute/exec/exchange.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/parse.hpp"
#include "config/manifest/shards.hpp"
#include "folder/records/metric_names.hpp"
#include "run/start/kinds.hpp"
#include "run/start/setup.hpp"

namespace tenon {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The files of a run keep the columns with which they began, also if its number of shards changes.
bool has_columns_of_shards(const std::filesystem::path& folder, const Wiring& wiring) {
    std::ifstream csv(folder / "metrics.csv");
    std::string header;
    return std::getline(csv, header) ? header.find(metric::kExchange) != std::string::npos
                                     : sharers(wiring.manifest) > 1;
}

double wall_time_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<Recorder> Recorder::open(const std::filesystem::path& folder, const Wiring& wiring, const Profile* profile) {
    std::vector<Metric> columns = recorded_metrics(wiring, has_columns_of_shards(folder, wiring));
    std::vector<std::string> names;
    std::ranges::transform(columns, std::back_inserter(names), &Metric::name);
    Metrics metrics = TENON_TRY(Metrics::open(folder, names));
    const TomlTable manifest = TENON_TRY(parse_toml(resolved_manifest(wiring), "manifest.lock.toml"));
    std::vector<Writer> writers;
    for (const WriterKind* const kind : writer_kinds()) {
        writers.push_back({.files = kind->make(folder, {names.begin() + 1, names.end()},  // their steps are positions
                                               flatten({.root = manifest, .place = {}})),
                           .is_wanted = kind->is_wanted(wiring.manifest.log)});
    }
    return Recorder(std::move(metrics), std::move(writers), std::move(columns), wiring, profile);
}

Recorder::Recorder(Metrics metrics, std::vector<Writer> writers, std::vector<Metric> columns, const Wiring& wiring,
                   const Profile* profile)
    : metrics_(std::move(metrics)),
      writers_(std::move(writers)),
      columns_(std::move(columns)),
      wiring_(&wiring),
      profile_(profile),
      row_(columns_.size(), kNothing),
      late_(columns_.size(), kNothing) {}

Status Recorder::record_late(const Moment& then, std::int64_t position) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        late_[i] = columns_[i].late ? columns_[i].read(then) : kNothing;
    }
    late_position_ = position;
    return metrics_.record(late_);
}

void Recorder::fill(std::vector<double>& row, const Trainer& trainer, std::span<const Score> scores, double seconds,
                    double per_second, const WorkTimes& spent) const {
    const Standing& standing = trainer.standing();
    Moment now{.frames = standing.frames,
               .updates = standing.updates,
               .scores = scores,
               .trainer = &trainer,
               .per_second = only_learns(wiring_->manifest) ? kNothing : per_second,
               .seconds = seconds};
    std::ranges::transform(spent, spent_, now.works.begin(), std::minus());
    std::ranges::transform(columns_, row.begin(), [&](const Metric& column) { return column.read(now); });
}

Status Recorder::record(Trainer& trainer, std::span<const Score> scores, double seconds, double per_second) {
    const WorkTimes now = spent();
    fill(row_, trainer, scores, seconds, per_second, now);
    for (LearningUnit& unit : trainer.units()) {
        unit.means().forget();
    }
    if (trainer.exchange() != nullptr) {
        trainer.exchange()->forget_times();
    }
    spent_ = now;
    TENON_TRY(metrics_.record(row_));
    const double wall_time_s = wall_time_now();
    const auto late = std::exchange(late_position_, std::nullopt);
    for (const auto& [files, is_wanted] : writers_) {
        if (is_wanted) {
            TENON_TRY(files->record(wall_time_s, trainer.position(), std::span(row_).subspan(1)));
            TENON_TRY(late ? files->record(wall_time_s, *late, std::span(late_).subspan(1)) : Status());
        }
    }
    return {};
}

Status Recorder::picture(const Trainer& trainer, const RecordedPicture& picture) {
    for (const auto& [files, is_wanted] : writers_) {
        TENON_TRY(is_wanted ? files->picture(wall_time_now(), trainer.position(), picture) : Status());
    }
    return {};
}

std::vector<std::pair<std::string, double>> Recorder::now(const Trainer& trainer, std::span<const Score> scores,
                                                          double seconds, double per_second) const {
    std::vector<double> row(row_.size());
    fill(row, trainer, scores, seconds, per_second, spent());
    std::vector<std::pair<std::string, double>> out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        out.emplace_back(columns_[i].name, std::isnan(row[i]) ? row_[i] : row[i]);
    }
    return out;
}

Status Recorder::keep(std::uint64_t records, std::int64_t position) {
    TENON_TRY(metrics_.keep_records(records));
    for (const Writer& writer : writers_) {
        TENON_TRY(writer.files->keep(position));
    }
    return {};
}

Status Recorder::sync() {
    TENON_TRY(metrics_.sync());
    for (const Writer& writer : writers_) {
        TENON_TRY(writer.files->sync());
    }
    return {};
}

}  // namespace tenon
