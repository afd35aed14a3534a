// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "config/manifest/pace.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/train_table.hpp"

namespace tenon {
namespace {

struct KeyPart {
    const char* path;
    Feature feature;
};

// Keys and tables that are parts if they are given, whatever their values.
constexpr KeyPart kGivenKeys[] = {
    {"run.total_frames", Feature::kCollectionKey},
    {"run.stop_at_episodes", Feature::kCollectionKey},
    {"train.batch", Feature::kCollectionKey},
    {"train.episodes", Feature::kCollectionKey},
    {"train.start_frames", Feature::kCollectionKey},
    {"train.updates_per_batch", Feature::kCollectionKey},
    {"train.updates_per_frame", Feature::kCollectionKey},
    {"parameter_noise", Feature::kParameterNoise},
    {"collector", Feature::kCollectorTable},
    {"exploration", Feature::kExploration},
    {"eval.every_frames", Feature::kEveryFrames},
    {"log.every_frames", Feature::kEveryFrames},
    {"checkpoint.every_frames", Feature::kEveryFrames},
    {"eval.every_updates", Feature::kEveryUpdates},
    {"log.every_updates", Feature::kEveryUpdates},
    {"checkpoint.every_updates", Feature::kEveryUpdates},
    {"columns", Feature::kStandIn},
    {"train.batch", Feature::kBatchSize},
    {"train.updates_per_batch", Feature::kUpdatesPerBatch},
    {"train.updates_per_frame", Feature::kUpdatesPerFrame},
};

class GivenParts {
public:
    explicit GivenParts(const Manifest& manifest) : m_(manifest) {}

    PresentParts parts() && {
        for (const KeyPart& key : kGivenKeys) {
            add(m_.given.contains(key.path), key.feature, key.path);
        }
        add_pace_parts(m_, parts_);
        add_evaluations();
        add_noise();
        for (const BufferTable& buffer : m_.buffers) {
            add_buffer(buffer);
        }
        for (const ObjectiveTable& objective : m_.objectives) {
            add_objective(objective);
        }
        add(m_.objectives.empty() && m_.train.episodes, Feature::kEpisodesOfBatch, "train.episodes");
        if (!m_.objectives.empty()) {
            add_train();
        }
        return std::move(parts_);
    }

private:
    void add(bool has, Feature feature, const std::string& path, const std::string& value = {}) {
        add_key(m_, parts_, has, feature, path, value);
    }

    // A part that concerns only those of the same table.
    void add_of(const std::string& table, bool has, Feature feature, const std::string& path,
                const std::string& value = {}) {
        if (has) {
            add(true, feature, path, value);
            parts_.back().about = table;
            parts_.back().of = {table};
        }
    }

    void add_evaluations() {
        const bool none = every(m_.eval) == 0;
        add(m_.eval.background, Feature::kBackground, "eval.background");
        add(m_.eval.video, Feature::kEvalVideo, "eval.video");
        add(m_.eval.patience > 0, Feature::kPatience, "eval.patience");
        add(only_learns(m_) && m_.run.stop_at_return, Feature::kStopAtReturn, "run.stop_at_return");
        add_part(parts_, none, {.feature = Feature::kNoEvaluations, .subject = "this run", .place = {}});
    }

    void add_noise() {
        add(m_.parameter_noise && m_.parameter_noise->target > 0, Feature::kNoiseTarget, "parameter_noise.target");
        const auto moves = [](const ScheduleTable& table) { return table.option == "parameter_noise.sigma"; };
        add(std::ranges::any_of(m_.schedules, moves), Feature::kScheduledSigma, "schedule.parameter_noise.sigma");
    }

    void add_buffer(const BufferTable& buffer) {
        const std::string& table = buffer.component.path;
        const auto path = [&](const char* key) { return table + "." + key; };
        const auto given = [&](const char* key) { return m_.given.contains(path(key)); };
        const auto valid = [&](const char* key) { return !m_.refused.contains(path(key)); };
        const auto add_key = [&](bool has, Feature feature, const char* key, const char* value = "") {
            add_of(table, has, feature, path(key), value);
        };
        if (!buffer.mix.empty()) {
            add_of(table, true, Feature::kMixture, table);
            return;
        }
        const bool on_disk = buffer.storage == "mmap";
        if (valid("storage") && valid("writer")) {
            add_storage_parts(m_, buffer, parts_);
        }
        if (valid("storage")) {
            const bool in_packed = buffer.storage == "compressed" && given("path");
            add_key(!buffer.path.empty() || in_packed, Feature::kPath, "path");
            add_key(buffer.storage == "memory", Feature::kPlainMemory, "storage", "\"memory\"");
        }
        if (valid("writer") && given("writer_by")) {
            add_key(true, Feature::kWriterBy, "writer_by");
            add_key(buffer.writer == "ring", Feature::kRingWriter, "writer", "\"ring\"");
        }
        add_of(table, buffer.capacity.bytes > 0, Feature::kByteCapacity, path("capacity"), buffer.capacity.size);
        add_key(!buffer.init.empty() && (buffer.collects || on_disk), Feature::kInit, "init");
        if (!buffer.collects) {
            add_key(given("capacity"), Feature::kCapacity, "capacity");
            add_key(true, Feature::kHeldBuffer, "collects", "false");
            add_key(on_disk, Feature::kHeldOnDisk, "storage", "\"mmap\"");
        }
    }

    void add_objective(const ObjectiveTable& objective) {
        const std::string& table = objective.component.path;
        const auto path = [&](const char* key) { return table + "." + key; };
        const auto add_key = [&](bool has, Feature feature, const char* key) {
            add_of(table, has, feature, path(key));
        };
        const bool by_batch = learns_by_batch(m_, objective);
        if (!by_batch || !only_learns(m_) || !m_.buffers.empty()) {  // otherwise the missing buffer has been reported
            parts_.push_back({.feature = by_batch ? Feature::kBatchObjective : Feature::kSampledObjective,
                              .subject = objective.component.ref.plugin,
                              .place = objective.component.place,
                              .about = table,
                              .of = {table}});
        }
        add_key(objective.epochs.has_value(), Feature::kBatchKey, "epochs");
        for (const auto& [key, feature, has] :
             {std::tuple("updates_per_batch", Feature::kUpdatesPerBatch, objective.updates_per_batch.has_value()),
              std::tuple("updates_per_frame", Feature::kUpdatesPerFrame, objective.updates_per_frame.has_value())}) {
            add_key(has, Feature::kSamplingKey, key);
            add_key(has, feature, key);
        }
        for (const BatchTable& batch : objective.batches) {
            if (const BufferTable* const buffer = find_buffer(m_, batch.buffer); buffer != nullptr) {
                add_of(buffer->component.path, true, Feature::kOtherBatch, table + ".batches." + batch.name);
            }
        }
    }

    // A key is refused only if no objective uses it; the sentence then names the first objective.
    void add_train() {
        const TrainTable& t = m_.train;
        const auto by_batch = [&](const ObjectiveTable& one) { return learns_by_batch(m_, one); };
        const bool batches = std::ranges::any_of(m_.objectives, by_batch);
        const std::string first = m_.objectives.front().component.path;
        add_of(batches ? "train" : first, t.episodes.has_value(), Feature::kEpisodesOfBatch, "train.episodes");
        if (!batches) {
            add_of(first, t.epochs.has_value(), Feature::kBatchKey, "train.epochs");
            add_of(first, t.shuffle.has_value(), Feature::kBatchKey, "train.shuffle");
            add_of(first, t.slice_length.has_value(), Feature::kBatchKey, "train.slice_length");
            add_of(first, t.prepare.has_value(), Feature::kBatchKey, "train.prepare");
        } else if (sizes_are_known(m_)) {
            const std::string shuffle = t.shuffle.value_or("frames");
            add(t.slice_length.has_value(), Feature::kSliceLength, "train.slice_length");
            add(shuffle != "frames", Feature::kSequenceShuffle, "train.shuffle", '"' + shuffle + '"');
            add(shuffle != "slices", Feature::kOtherShuffle, "train.shuffle", '"' + shuffle + '"');
        }
        if (std::ranges::all_of(m_.objectives, by_batch)) {
            add_of(first, t.updates_per_batch.has_value(), Feature::kSamplingKey, "train.updates_per_batch");
            add_of(first, t.updates_per_frame.has_value(), Feature::kSamplingKey, "train.updates_per_frame");
            add_of(first, t.start_frames > 0, Feature::kSamplingKey, "train.start_frames");
        }
    }

    const Manifest& m_;
    PresentParts parts_;
};

}  // namespace

void add_key(const Manifest& manifest, PresentParts& parts, bool has, Feature feature, const std::string& path,
             const std::string& value) {
    const std::string name = path.find('.') == std::string::npos ? "[" + path + "]" : path;
    add_part(parts, has,
             {.feature = feature,
              .subject = name + (value.empty() ? "" : " = " + value),
              .place = place_of(manifest, path)});
}

void add_pace_parts(const Manifest& manifest, PresentParts& parts) {
    add_part(parts, manifest.objectives.empty(),
             {.feature = Feature::kNoObjective, .subject = "this run", .place = {}});
    add_key(manifest, parts, only_learns(manifest), Feature::kOnlyLearns, "train.total_updates");
    add_part(parts, !only_learns(manifest), {.feature = Feature::kCollects, .subject = "this run", .place = {}});
}

void add_storage_parts(const Manifest& manifest, const BufferTable& buffer, PresentParts& parts) {
    const std::string& table = buffer.component.path;
    const auto add = [&](const char* key, const std::string& value, Feature feature) {
        add_key(manifest, parts, true, feature, table + "." + key, '"' + value + '"');
        parts.back().about = table;
        parts.back().of = {table};
    };
    if (buffer.writer != "ring") {
        add("writer", buffer.writer, buffer.writer == "reservoir" ? Feature::kReservoir : Feature::kKeepBest);
    }
    if (buffer.storage != "memory") {
        add("storage", buffer.storage, buffer.storage == "compressed" ? Feature::kCompressed : Feature::kMapped);
    }
}

void check_given_parts(const Manifest& manifest, Problems& problems) {
    refuse_combinations(GivenParts(manifest).parts(), problems);
}

}  // namespace tenon
