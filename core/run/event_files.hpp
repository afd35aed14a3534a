// SPDX-License-Identifier: Apache-2.0
// RUN/tensorboard/: the metrics as TensorBoard reads them, one file for each time that the run was begun or went on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "file/sync.hpp"

namespace tenon {

class EventFiles {
public:
    // In <folder>, which is made with the first record, as is this segment's file in it. `tags` are all that will ever
    // be recorded.
    EventFiles(std::filesystem::path folder, std::vector<std::string> tags);

    // Takes later steps and half written records out of all files that are there, and tells readers that have seen
    // them: the run goes on from this step.
    Status keep(std::int64_t step);

    // One record of all tags; NaN is none. Allocates nothing from the second one on.
    Status record(double wall_time_s, std::int64_t step, std::span<const double> values);

    // Puts the file on the disk.
    Status sync();

private:
    Status begin(double wall_time_s);

    std::filesystem::path folder_;
    std::vector<std::string> tags_;
    std::filesystem::path path_;
    std::optional<FileDescriptor> file_;
    std::uint64_t length_ = 0;
    std::optional<std::int64_t> step_before_;  // where the run went on
    std::string buffer_;
};

}  // namespace tenon
