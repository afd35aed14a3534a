// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/jit_places.hpp"

#include <charconv>
#include <vector>

namespace tenon::compiled::device {

std::string_view type_of(std::uint16_t bytes) {
    return bytes == 4 ? "float" : bytes == 8 ? "std::int64_t" : "std::uint8_t";
}

// Dimensions that are contiguous are treated as one.
std::string place_text(const Place& place) {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    for (std::int32_t d = 0; d < place.shape.rank; ++d) {
        const std::int64_t size = place.shape.size[d];
        const std::int64_t stride = place.strides.along[d];
        if (size == 1) {
            continue;
        }
        if (!sizes.empty() && strides.back() == size * stride) {
            sizes.back() *= size;
            strides.back() = stride;
        } else {
            sizes.push_back(size);
            strides.push_back(stride);
        }
    }
    std::string out;
    std::int64_t below = 1;  // elements of the dimensions after it
    for (std::size_t d = sizes.size(); d-- > 0;) {
        if (strides[d] != 0) {
            std::string at = below == 1 ? "i" : "i / " + std::to_string(below);
            at = d == 0 ? at : "(" + at + ") % " + std::to_string(sizes[d]);
            at = strides[d] == 1 ? at : "(" + at + ") * " + std::to_string(strides[d]);
            out = at + (out.empty() ? "" : " + " + out);
        }
        below *= sizes[d];
    }
    return out.empty() ? "0" : out;
}

std::string_view index_type(std::span<const Place> places, std::int64_t count) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    bool out = count < kMost / 2;
    for (const Place& place : places) {
        std::int64_t most = 0;
        for (std::int32_t d = 0; d < place.shape.rank; ++d) {
            out = out && place.strides.along[d] >= 0;
            most += (place.shape.size[d] - 1) * place.strides.along[d];
        }
        out = out && most < kMost;
    }
    return out ? "std::uint32_t" : "std::int64_t";
}

std::string address_text(const void* address) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, reinterpret_cast<std::uintptr_t>(address), 16);
    return "At{0x" + std::string(text, end) + "}";
}

}  // namespace tenon::compiled::device
