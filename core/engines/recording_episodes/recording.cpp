// SPDX-License-Identifier: Apache-2.0
#include "engines/recording_episodes/recording.hpp"

#include <system_error>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/draft.hpp"
#include "base/file/read.hpp"
#include "base/file/sha256.hpp"
#include "base/random/key.hpp"
#include "engines/recording_episodes/recorded.hpp"
#include "experience/dataset/dataset.hpp"
#include "experience/dataset/stored_dataset.hpp"
#include "experience/dataset/write_dataset.hpp"
#include "experience/env/seeds.hpp"
#include "train/checkpoint/frames_file.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kState = "recorded.bin";  // of a checkpoint
constexpr std::uint32_t kVersion = 1;

std::vector<std::uint64_t> first_seeds(const Wiring& w) {
    return lane_seeds(make_key(w.seed(), "env"), static_cast<std::uint32_t>(w.manifest.env.lanes));
}

}  // namespace

RunRecording::RunRecording(const Wiring& wiring, const Storage& storage, fs::path folder, std::string format,
                           EpisodeFile file)
    : wiring_(wiring),
      folder_(std::move(folder)),
      to_(*wiring.manifest.collector->record),
      format_(std::move(format)),
      columns_(recorded_columns(wiring)),
      file_(std::move(file)),
      running_(storage, columns_, first_seeds(wiring)) {}

Result<std::unique_ptr<EpisodeRecording>> RunRecording::open(const Wiring& wiring, Trainer& trainer,
                                                             const fs::path& folder) {
    std::string format = TENON_TRY(recording_format(wiring));
    const fs::path own = folder / "recorded";
    TENON_TRY(make_folders(own));
    EpisodeFile file = TENON_TRY(EpisodeFile::open(own / "episodes"));
    std::unique_ptr<RunRecording> out(
        new RunRecording(wiring, trainer.source().storage(), own, std::move(format), std::move(file)));
    Status fit = out->check_target();
    fit = fit ? out->check_format() : std::move(fit);
    if (!fit) {
        std::error_code code;
        if (fs::file_size(own / "episodes", code) == 0) {
            out.reset();
            fs::remove_all(own, code);  // removes all files of the run's recording
        }
        return std::move(fit).error();
    }
    trainer.watch_collected(
        [recording = out.get()](std::int64_t steps) { return recording->running_.take(steps, recording->file_); });
    return std::unique_ptr<EpisodeRecording>(std::move(out));
}

bool RunRecording::owns_target() const {
    const Result<std::string> text = read_file(mark());
    return text && text->starts_with(to_.string() + "\n");
}

Status RunRecording::check_target() const {
    std::error_code code;
    if (fs::exists(to_, code) && !owns_target()) {
        return input_problem(to_.string() + " exists already; collector.record must name a new file or folder",
                             place_of(wiring_.manifest, "collector.record"));
    }
    return make_folders(fs::absolute(to_).parent_path());
}

// Begins a dataset and discards it. So what the format cannot hold, or what the machine lacks for it, is reported
// before the run.
Status RunRecording::check_format() const {
    if (format_.empty()) {
        return {};
    }
    const Dataset writer = TENON_TRY(Dataset::named(format_, wiring_.host->registry, wiring_.host->services.table()));
    const FolderDraft draft = TENON_TRY(FolderDraft::begin(folder_ / "trial"));
    const Storage nothing = TENON_TRY(Storage::make(columns_, 2, 1));
    Status begun =
        writer.begin(draft.folder() / to_.filename(), to_, dataset_columns(nothing, wiring_.env_specs), DatasetFacts());
    if (!begun) {
        begun.error().place = place_of(wiring_.manifest, "collector.record");
    }
    return begun;
}

void RunRecording::visit(SavedFields& saved, EpisodeFile::Extent& extent) {
    saved.section("recorded", kVersion, [&](std::uint32_t) {
        saved.fields(extent.bytes, extent.episodes, extent.frames);
        running_.visit(saved);
    });
}

Status RunRecording::save(const fs::path& checkpoint) {
    ByteWriter out;
    SavedFields saved(out);
    EpisodeFile::Extent extent = file_.extent();
    visit(saved, extent);
    TENON_TRY(file_.sync());
    return out.write_to(checkpoint / kState);
}

Status RunRecording::restore(const fs::path& checkpoint) {
    ByteReader in = TENON_TRY(ByteReader::open(checkpoint / kState));
    SavedFields saved(in);
    EpisodeFile::Extent extent;
    visit(saved, extent);
    return in.status() ? file_.cut(extent) : in.status();
}

std::string RunRecording::mark_text() const {
    return to_.string() + "\n" + std::to_string(file_.extent().bytes) + "\n";
}

bool RunRecording::is_written() const {
    const Result<std::string> text = read_file(mark());
    std::error_code code;
    return text && *text == mark_text() && fs::exists(to_, code);
}

Status RunRecording::write(const fs::path& manifest) const {
    const std::string hash = TENON_TRY(sha256_of_file(manifest));
    const EpisodeFile::Content content = TENON_TRY(file_.read(columns_));
    TensorMetadata about;
    about["env"] = wiring_.parts.training.env.info.name;
    about["manifest_sha256"] = hash;
    about["seed"] = std::to_string(wiring_.manifest.run.seed);
    about["actions"] = "collected";
    about["frames"] = std::to_string(frames());
    about["episodes"] = std::to_string(episodes());
    if (format_.empty()) {
        about.merge(specs_in_words(wiring_.env_specs));
        return write_file(
            to_, [&](const fs::path& temporary) { return write_frames(content.storage, temporary, std::move(about)); });
    }
    const Result<Converted> written = write_dataset({.storage = content.storage,
                                                     .specs = wiring_.env_specs,
                                                     .facts = std::move(about),
                                                     .to = to_,
                                                     .format = format_,
                                                     .episodes = content.episodes},
                                                    wiring_.host->registry, wiring_.host->services.table());
    return written ? Status() : Status(written.error());
}

Status RunRecording::finish(const fs::path& manifest) {
    if (episodes() == 0) {
        return {};
    }
    Status done = check_target();
    std::error_code code;
    // the folder of a dataset cannot be replaced atomically, as a file can
    const fs::path before = temporary_in_same_folder(to_);
    const bool again = !format_.empty() && fs::exists(to_, code);
    if (done && again) {
        fs::rename(to_, before, code);
        done = code ? Status(file_problem("replace", to_, code.value())) : Status();
    }
    done = done ? write(manifest) : std::move(done);
    if (again) {
        done ? static_cast<void>(fs::remove_all(before, code)) : fs::rename(before, to_, code);
    }
    done = done ? write_file(mark(), mark_text()) : std::move(done);
    if (!done) {
        done.error().sentence +=
            "; the recorded episodes are kept in " + folder_.string() + ", and are written when the run is resumed";
    }
    return done;
}

}  // namespace tenon
