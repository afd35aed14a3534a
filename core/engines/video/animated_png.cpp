// SPDX-License-Identifier: Apache-2.0
#include "engines/video/animated_png.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/deflate.hpp"

namespace tenon {
namespace {

template <class Number>
void put(std::string& out, Number value) {
    for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8) {
        out.push_back(static_cast<char>(value >> static_cast<unsigned>(shift) & 255U));
    }
}

// Length, type, data, checksum of type and data.
void put_chunk(std::string& out, std::string_view type, std::string_view data) {
    put(out, static_cast<std::uint32_t>(data.size()));
    const std::size_t begin = out.size();
    out += type;
    out += data;
    put(out, crc32(std::string_view(out).substr(begin)));
}

std::uint16_t milliseconds_of(double frames_per_second) {
    return static_cast<std::uint16_t>(std::clamp(std::lround(1000 / frames_per_second), 1L, 65535L));
}

}  // namespace

AnimatedPng::AnimatedPng(std::filesystem::path path, FrameSize size, double frames_per_second)
    : path_(std::move(path)), size_(size), milliseconds_(milliseconds_of(frames_per_second)) {}

AnimatedPng::Rectangle AnimatedPng::changed(FramePixels frame) const {
    if (frames_ == 0) {
        return {0, 0, size_.width, size_.height};
    }
    Rectangle out{size_.width, size_.height, 0, 0};
    for (std::uint32_t row = 0; row < size_.height; ++row) {
        const auto begin = static_cast<std::ptrdiff_t>(std::size_t{3} * row * size_.width);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::size_t{3} * size_.width);
        const auto [first, other] = std::mismatch(last_.begin() + begin, last_.begin() + end, frame.begin() + begin);
        if (first == last_.begin() + end) {
            continue;
        }
        std::ptrdiff_t past = end;
        while (last_[static_cast<std::size_t>(past - 1)] == frame[static_cast<std::size_t>(past - 1)]) {
            --past;
        }
        out.left = std::min(out.left, static_cast<std::uint32_t>((first - last_.begin() - begin) / 3));
        out.right = std::max(out.right, static_cast<std::uint32_t>((past - begin + 2) / 3));
        out.top = std::min(out.top, row);
        out.bottom = row + 1;
    }
    return out.bottom == 0 ? Rectangle{0, 0, 1, 1} : out;  // a frame has at least one pixel
}

// Compresses rows as differences from the row above, which are mostly zero in drawn pictures.
Result<std::string> AnimatedPng::compressed(FramePixels frame, Rectangle part) const {
    constexpr char kUp = 2;
    std::string rows;
    const std::size_t bytes = std::size_t{3} * (part.right - part.left);
    for (std::uint32_t row = part.top; row < part.bottom; ++row) {
        const std::size_t at = std::size_t{3} * (std::size_t{row} * size_.width + part.left);
        rows.push_back(kUp);
        for (std::size_t i = at; i < at + bytes; ++i) {
            const int above = row == part.top ? 0 : frame[i - std::size_t{3} * size_.width];
            rows.push_back(static_cast<char>(frame[i] - above));
        }
    }
    return compress(rows);
}

Status AnimatedPng::add(FramePixels frame) {
    const Rectangle part = changed(frame);
    const std::string pixels = TENON_TRY(compressed(frame, part));
    std::string control;
    put(control, sequence_++);
    put(control, part.right - part.left);
    put(control, part.bottom - part.top);
    put(control, part.left);
    put(control, part.top);
    put(control, milliseconds_);
    put(control, std::uint16_t{1000});
    control += std::string(2, '\0');  // keep the frame and draw the next one over it
    put_chunk(chunks_, "fcTL", control);
    std::string data;
    if (frames_ > 0) {
        put(data, sequence_++);
    }
    data += pixels;
    put_chunk(chunks_, frames_ == 0 ? "IDAT" : "fdAT", data);
    last_.assign(frame.begin(), frame.end());
    ++frames_;
    return {};
}

std::string AnimatedPng::whole() const {
    std::string out = "\x89PNG\r\n\x1a\n";
    std::string header;
    put(header, size_.width);
    put(header, size_.height);
    header += std::string("\x08\x02\0\0\0", 5);  // 8 bits of red, green and blue
    put_chunk(out, "IHDR", header);
    std::string animation;
    put(animation, frames_);
    put(animation, std::uint32_t{0});  // plays repeatedly
    put_chunk(out, "acTL", animation);
    out += chunks_;
    put_chunk(out, "IEND", {});
    return out;
}

Status AnimatedPng::finish() const {
    return write_file(path_, whole());
}

}  // namespace tenon
