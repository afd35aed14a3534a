// SPDX-License-Identifier: Apache-2.0
// An env that a caller outside of the host steps: many lanes together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/manifest/override.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/start/setup.hpp"
#include "train/collect/frame_source.hpp"

namespace tenon {

struct DriveEnvRequest {
    std::string env;  // "library/component", or a manifest that ends in .toml
    std::int64_t lanes = 1;
    std::vector<Override> overrides = {};
    std::vector<SearchFolder> plugins = {};
};

class DriveEnv {
public:
    static std::unique_ptr<DriveEnv> open(const DriveEnvRequest& request, Problems& problems);

    // Begins new episodes in all lanes; without a seed the generators continue.
    Status reset(std::optional<std::uint64_t> seed);
    // One step of all lanes with the actions at the storage's head. In lanes whose episode ends, the next episode has
    // begun: its first observation is at the head, and the last observation of the old episode is in the final values.
    // A lane that the env gives up is a problem.
    Status step();

    [[nodiscard]] const Composite& specs() const { return source_->lanes().specs(); }
    [[nodiscard]] const Storage& storage() const { return source_->storage(); }

private:
    DriveEnv() = default;

    EnvSetup setup_;
    std::unique_ptr<FrameSource> source_;
    std::uint64_t steps_ = 0;
    bool begun_ = false;
};

}  // namespace tenon
