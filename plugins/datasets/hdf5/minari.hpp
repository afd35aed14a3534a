// SPDX-License-Identifier: Apache-2.0
// Minari's datasets: a folder, or its subfolder data/, with main_data.hdf5 and metadata.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "file.hpp"
#include "spaces.hpp"
#include "tenon/dataset.hpp"

namespace hdf5 {

class Minari {
public:
    static bool claims(const std::string& path);
    tenon::DatasetInfo open(const std::string& path);
    void read(std::size_t episode, std::size_t column, void* rows);

    void begin(const std::string& path, const tenon::DatasetInfo& plan);
    void append(const tenon::Episode& episode, std::span<const void* const> rows);
    void finish();

private:
    void open_episode(const std::string& group, tenon::DatasetInfo& info) const;
    void check_arrays(const std::string& group, tenon::DatasetInfo& info);

    std::optional<File> file_;
    std::vector<Part> parts_;
    std::vector<std::string> groups_;  // of the episodes
    std::vector<std::uint64_t> lengths_;

    std::filesystem::path folder_;  // what follows is of a dataset that is written
    std::string id_;
    std::vector<tenon::Fact> facts_;
    std::string observation_space_;
    std::string action_space_;
    std::uint64_t episodes_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace hdf5
