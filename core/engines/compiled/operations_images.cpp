// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "engines/compiled/sharing.hpp"
#include "engines/compiled/walking.hpp"

namespace tenon::compiled {
namespace {

struct Range {
    std::int64_t begin;
    std::int64_t end;
};

// The part of a window starting at `first` that is inside the image.
Range within(std::int64_t first, std::int64_t window, std::int64_t image) {
    const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, window);
    return {begin, std::clamp<std::int64_t>(image - first, begin, window)};
}

// Calls f(row of the window, its row in the image or -1, the first column of the window in this row, the part of its
// columns inside the image), in the order of the patches.
template <class F>
void each_line(const Window& window, std::int64_t height, std::int64_t width, F f) {
    for (std::int64_t top = -window.padding; top + window.height <= height + window.padding; top += window.stride) {
        for (std::int64_t left = -window.padding; left + window.width <= width + window.padding;
             left += window.stride) {
            const Range columns = within(left, window.width, width);
            for (std::int64_t u = 0; u < window.height; ++u) {
                const std::int64_t y = top + u;
                f(y < 0 || y >= height ? -1 : y, left, columns);
            }
        }
    }
}

// Distributes the images over the threads of the pool, if there is one.
template <class F>
void each_image(const Memory& memory, std::int64_t images, F f) {
    const auto some = [&](std::int64_t first, std::int64_t count, const Desk&) {
        for (std::int64_t i = first; i < first + count; ++i) {
            f(i);
        }
    };
    const auto desks = static_cast<std::int64_t>(memory.desks.size());
    if (desks == 1 || images < desks) {
        some(0, images, memory.desks.front());
    } else {
        share(memory, images, (images + desks - 1) / desks, some);
    }
}

template <class T>
void patches(const Op& op, const Memory& memory) {
    const View& x = op.in[0];
    const std::int64_t channels = x.shape[3];
    const std::int64_t each = op.out.shape[1] * op.out.shape[2];
    const std::int64_t line = x.shape[2] * channels;
    const T* from = at<const T>(memory, x) + x.offset;
    T* out = at<T>(memory, op.out) + op.out.offset;
    const T fill = static_cast<T>(op.window.fill);
    each_image(memory, x.shape[0], [&](std::int64_t image) {
        const T* pixels = from + image * x.shape[1] * line;
        T* to = out + image * each;
        each_line(op.window, x.shape[1], x.shape[2], [&](std::int64_t y, std::int64_t left, Range columns) {
            T* const end = to + op.window.width * channels;
            if (y < 0) {
                std::fill(to, end, fill);
            } else {
                std::fill_n(to, columns.begin * channels, fill);
                std::copy_n(pixels + y * line + (left + columns.begin) * channels,
                            (columns.end - columns.begin) * channels, to + columns.begin * channels);
                std::fill(to + columns.end * channels, end, fill);
            }
            to = end;
        });
    });
}

template <class T>
void unpatch(const Op& op, const Memory& memory) {
    const View& g = op.in[0];
    const std::int64_t channels = op.out.shape[3];
    const std::int64_t each = g.shape[1] * g.shape[2];
    const std::int64_t line = op.out.shape[2] * channels;
    const T* from = at<const T>(memory, g) + g.offset;
    T* out = at<T>(memory, op.out) + op.out.offset;
    each_image(memory, op.out.shape[0], [&](std::int64_t image) {
        T* pixels = out + image * op.out.shape[1] * line;
        std::fill_n(pixels, op.out.shape[1] * line, T(0));
        const T* piece = from + image * each;
        each_line(op.window, op.out.shape[1], op.out.shape[2], [&](std::int64_t y, std::int64_t left, Range columns) {
            const std::int64_t first = columns.begin * channels;
            const std::int64_t count = y < 0 ? 0 : (columns.end - columns.begin) * channels;
            T* onto = pixels + std::max<std::int64_t>(y, 0) * line + left * channels + first;
            for (std::int64_t i = 0; i < count; ++i) {
                onto[i] += piece[first + i];
            }
            piece += op.window.width * channels;
        });
    });
}

}  // namespace

void run_patches(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    real == DType::kF64 ? patches<double>(op, memory) : patches<float>(op, memory);
}

void run_unpatch(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    real == DType::kF64 ? unpatch<double>(op, memory) : unpatch<float>(op, memory);
}

}  // namespace tenon::compiled
