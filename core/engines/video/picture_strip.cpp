// SPDX-License-Identifier: Apache-2.0
#include "engines/video/picture_strip.hpp"

#include <cstddef>

namespace tenon {

Status PictureStrip::add(FramePixels frame) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
    if (seen_++ % kEvery == 0 && png_.size() < kMostBytes) {
        return png_.add(frame);
    }
    return {};
}

}  // namespace tenon
