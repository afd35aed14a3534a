// SPDX-License-Identifier: Apache-2.0
// The pictures of a wrapper's inner env ("tenon.render/1"), for wrappers whose policies see pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/abi/render.h"
#include "tenon/abi/wrapper.h"
#include "tenon/guard.hpp"
#include "tenon/picture.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

class InnerPictures {
public:
    InnerPictures() = default;
    explicit InnerPictures(const tn_wrapper_inner& inner)
        : self_(inner.self),
          api_(static_cast<const tn_render_api*>(inner.get_interface(inner.self, "tenon.render/1"))) {}

    // Throws if the inner env draws nothing.
    [[nodiscard]] PictureSize size() const {
        if (api_ == nullptr) {
            throw InvalidArgument("the env draws no pictures in this process");
        }
        tn_picture_info info{};
        info.struct_size = sizeof info;
        if (const tn_status status = api_->describe(self_, &info); status != TN_OK) {
            throw Error(status, "");  // the env has left its sentence
        }
        constexpr std::uint32_t kLargest = 8192;
        if (info.height == 0 || info.height > kLargest || info.width == 0 || info.width > kLargest) {
            throw Error(TN_INTERNAL, "the env says that its pictures have an impossible size");
        }
        return {.height = info.height, .width = info.width, .steps_per_second = info.steps_per_second};
    }

    // Draws the lane as it is now: [height][width][3], as large as size() says.
    void draw(std::uint32_t lane, std::span<std::uint8_t> pixels) const {
        if (const tn_status status = api_->draw(self_, lane, pixels.data()); status != TN_OK) {
            throw Error(status, "");  // the env has left its sentence
        }
    }

private:
    void* self_ = nullptr;
    const tn_render_api* api_ = nullptr;
};

}  // namespace TENON_SDK
}  // namespace tenon
