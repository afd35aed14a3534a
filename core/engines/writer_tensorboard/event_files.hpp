// SPDX-License-Identifier: Apache-2.0
// RUN/tensorboard/: the metrics in TensorBoard's format, one file for each start or resumption of the run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/sync.hpp"
#include "engines/writer_tensorboard/event_format.hpp"
#include "engines/writer_tensorboard/event_hparams.hpp"

namespace tenon {

class EventFiles final : public RecordWriter {
public:
    // Files in <folder>. The first record creates the folder and this segment's file. `tags` are all tags that will
    // ever be recorded; every file begins with the hparams, if there are any.
    EventFiles(std::filesystem::path folder, std::vector<std::string> tags, Hparams hparams = {});

    // Removes later steps and partial records from all existing files, and tells readers that have already read them
    // that the run continues from this step.
    Status keep(std::int64_t step) override;

    Status record(double wall_time_s, std::int64_t step, std::span<const double> values) override;
    Status picture(double wall_time_s, std::int64_t step, const RecordedPicture& picture) override;
    Status sync() override;

private:
    Status begin(double wall_time_s);
    Status append();

    std::filesystem::path folder_;
    EventTags tags_;
    Hparams hparams_;
    std::filesystem::path path_;
    std::optional<FileDescriptor> file_;
    std::uint64_t length_ = 0;
    std::optional<std::int64_t> step_before_;  // the step at which the run was resumed
    std::string buffer_;
};

}  // namespace tenon
