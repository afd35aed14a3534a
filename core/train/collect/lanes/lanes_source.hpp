// SPDX-License-Identifier: Apache-2.0
// Lanes that step in this process, all together.
#pragma once

#include <cstdint>

#include "train/collect/frame_source.hpp"

namespace tenon {

class LanesSource final : public FrameSource {
public:
    explicit LanesSource(LaneSite site) : FrameSource(std::move(site)) {}

    Status reset(const std::uint64_t* seeds) override;
    Result<std::uint32_t> step(const Acting& now) override;
};

}  // namespace tenon
