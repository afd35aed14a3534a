// SPDX-License-Identifier: Apache-2.0
// D4RL's datasets: one HDF5 file with the arrays observations, actions, rewards and terminals, all frames one after the
// other, and perhaps timeouts and next_observations. They are only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "file.hpp"
#include "tenon/dataset.hpp"

namespace hdf5 {

class D4rl {
public:
    static bool claims(const std::string& path);
    tenon::DatasetInfo open(const std::string& path);
    void read(std::size_t episode, std::size_t column, void* rows);

private:
    void find_episodes(std::int64_t frames, tenon::DatasetInfo& info);

    std::optional<File> file_;
    bool has_next_ = false;
    std::vector<tenon::Spec> columns_;
    std::vector<std::int64_t> firsts_;  // first frame of each episode
    std::vector<tenon::Episode> episodes_;
};

}  // namespace hdf5
