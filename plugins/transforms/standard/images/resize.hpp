// SPDX-License-Identifier: Apache-2.0
// Images in another size. Bytes equal those of OpenCV's resize with INTER_AREA where pixels become fewer and no ratio
// of sizes is whole, and with INTER_NEAREST; bilinear and bicubic ones differ from its by 1 at most, and those of
// "antialias" from torch's, which TorchRL's Resize uses.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "images/image_layout.hpp"
#include "images/resampling.hpp"
#include "tenon/transform.hpp"

struct Resize {
    std::string column;
    std::int64_t height;
    std::int64_t width;
    std::string method;
    std::string layout;
    ImageLayout from;
    std::int32_t dtype = 0;
    Resampling down;
    Resampling across;

    static constexpr auto options = std::tuple{
        tenon::option<&Resize::column>("column", "observation", "which image"),
        tenon::option<&Resize::height>("height", 84, "[1,4096]", "in pixels"),
        tenon::option<&Resize::width>("width", 84, "[1,4096]", "in pixels"),
        tenon::option<&Resize::method>("method", "area", "area|bilinear|nearest|bicubic|antialias",
                                       "the mean of what a pixel covers, between the nearest two, the nearest one, "
                                       "between the nearest four, or bilinear over all that a pixel covers"),
        tenon::option<&Resize::layout>("layout", "chw", "chw|hwc", "whether channels are first or last"),
    };

    struct Lane {
        std::vector<float> row, narrow, sum;
        std::vector<std::size_t> held;              // which old row each row of `narrow` is made of
        std::size_t latest = 0;                     // of these, the one before
        void state(tenon::Archive& /*archive*/) {}  // nothing outlives a call
    };

    tenon::Spec change(tenon::Spec spec) {
        from = image_layout(spec, layout);
        dtype = spec.dtype;
        down = resampling(method, from.height, static_cast<std::size_t>(height));
        across = resampling(method, from.width, static_cast<std::size_t>(width));
        spec.shape[from.height_axis] = height;
        spec.shape[from.height_axis + 1] = width;
        mix_bounds(spec);
        return spec;
    }

    void apply(Lane& lane, std::span<const std::byte> in, std::span<std::byte> out) const {
        if (dtype == TN_U8) {
            resize<std::uint8_t>(lane, in.data(), out.data());
        } else {
            resize<float>(lane, in.data(), out.data());
        }
    }

private:
    template <class E>
    void resize(Lane& lane, const std::byte* in, std::byte* out) const {
        const std::size_t old_row = from.width * from.together;
        const std::size_t new_row = across.first.size() * from.together;
        lane.row.resize(old_row);
        lane.narrow.resize(new_row * down.per);
        lane.sum.resize(new_row);
        for (std::size_t plane = 0; plane < from.planes; ++plane) {
            const std::byte* const image = in + plane * from.height * old_row * sizeof(E);
            lane.held.assign(down.per, from.height);
            for (std::size_t y = 0; y < down.first.size(); ++y) {
                std::ranges::fill(lane.sum, 0.0F);
                for (std::size_t k = 0; k < down.per; ++k) {
                    const float share = down.weight[y * down.per + k];
                    if (share == 0) {
                        continue;
                    }
                    const float* const row = narrowed<E>(lane, image, down.first[y] + k);
                    for (std::size_t x = 0; x < new_row; ++x) {
                        lane.sum[x] += share * row[x];
                    }
                }
                round<E>(lane.sum, out);
                out += new_row * sizeof(E);
            }
        }
    }

    // Old row y in the new width. The latest ones are kept, because new rows share them.
    template <class E>
    const float* narrowed(Lane& lane, const std::byte* image, std::size_t y) const {
        const std::size_t size = lane.sum.size();
        const std::size_t bytes = lane.row.size() * sizeof(E);
        float* const to = lane.narrow.data() + y % down.per * size;
        std::size_t& held = lane.held[y % down.per];
        if (held != y) {
            const std::size_t before = lane.latest % down.per;
            // Neighbours of one picture are often the same.
            if (lane.held[before] == lane.latest &&
                std::memcmp(image + y * bytes, image + lane.latest * bytes, bytes) == 0) {
                std::copy_n(lane.narrow.data() + before * size, size, to);
            } else {
                narrow<E>(lane, image + y * bytes, to);
            }
            held = lane.latest = y;
        }
        return to;
    }

    template <class E>
    void narrow(Lane& lane, const std::byte* from_row, float* to) const {
        for (std::size_t x = 0; x < lane.row.size(); ++x) {
            E element;
            std::memcpy(&element, from_row + x * sizeof(E), sizeof element);
            lane.row[x] = static_cast<float>(element);
        }
        from.together == 1 ? sum<1>(lane.row.data(), to) : sum<0>(lane.row.data(), to);
    }

    // The loops of usual sizes have a fixed length; 0: it is only known here.
    template <std::size_t Together>
    void sum(const float* row, float* to) const {
        switch (across.per) {
            case 2:
                return sum<Together, 2>(row, to);
            case 3:
                return sum<Together, 3>(row, to);
            case 4:
                return sum<Together, 4>(row, to);
            case 5:
                return sum<Together, 5>(row, to);
            default:
                return sum<Together, 0>(row, to);
        }
    }

    template <std::size_t Together, std::size_t Per>
    void sum(const float* row, float* to) const {
        const std::size_t together = Together == 0 ? from.together : Together;
        const std::size_t per = Per == 0 ? across.per : Per;
        const float* weight = across.weight.data();
        for (const std::size_t first : across.first) {
            const float* const pixel = row + first * together;
            for (std::size_t c = 0; c < together; ++c) {
                float sum = 0;
                for (std::size_t k = 0; k < per; ++k) {
                    sum += pixel[k * together + c] * weight[k];
                }
                *to++ = sum;
            }
            weight += per;
        }
    }

    // To the nearest whole number, halves to the even one.
    template <class E>
    static void round(const std::vector<float>& sum, std::byte* out) {
        if constexpr (std::same_as<E, float>) {
            std::memcpy(out, sum.data(), sum.size() * sizeof(float));
        } else {
            constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: the sum has no bits for fractions
            for (std::size_t x = 0; x < sum.size(); ++x) {
                const auto whole = std::bit_cast<std::int32_t>(sum[x] + kShift) - std::bit_cast<std::int32_t>(kShift);
                out[x] = static_cast<std::byte>(std::clamp(whole, 0, 255));
            }
        }
    }
};
