// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/loop.hpp"

#include <algorithm>
#include <cstring>

#include "compute/graph/limits.hpp"
#include "engines/compiled/sharing.hpp"

namespace tenon::compiled {
namespace {

constexpr std::size_t kLoopDims = graph::kMostDimensions;
constexpr std::int64_t kLoopWorthSharing = 32768;  // steps times elements: about 10 microseconds

template <class T>
void bring_run(const T* from, std::int64_t stride, std::int64_t n, T* to) {
    if (stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
    } else if (stride == 0) {
        std::fill_n(to, n, *from);
    } else {
        for (std::int64_t i = 0; i < n; ++i) {
            to[i] = from[i * stride];
        }
    }
}

template <class T>
void put_run(T* to, std::int64_t stride, std::int64_t n, const T* from) {
    if (stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
    } else {
        for (std::int64_t i = 0; i < n; ++i) {
            to[i * stride] = from[i];
        }
    }
}

// Calls f(address, stride, count, position in the block) for each run along the last dimension.
template <class F>
void each_run(const View& view, std::int64_t first, std::int64_t n, F f) {
    const std::size_t rank = view.shape.size();
    if (rank == 0) {
        f(view.offset, 0, n, 0);
        return;
    }
    std::array<std::int64_t, kLoopDims> index{};
    std::int64_t rest = first;
    std::int64_t at = view.offset;
    for (std::size_t i = rank; i > 0; --i) {
        index[i - 1] = rest % view.shape[i - 1];
        rest /= view.shape[i - 1];
        at += index[i - 1] * view.strides[i - 1];
    }
    const std::size_t last = rank - 1;
    for (std::int64_t done = 0; done < n;) {
        const std::int64_t run = std::min(view.shape[last] - index[last], n - done);
        f(at, view.strides[last], run, done);
        done += run;
        at -= index[last] * view.strides[last];
        index[last] = 0;
        for (std::size_t i = last; i > 0; --i) {
            at += view.strides[i - 1];
            if (++index[i - 1] < view.shape[i - 1]) {
                break;
            }
            at -= index[i - 1] * view.strides[i - 1];
            index[i - 1] = 0;
        }
    }
}

// Whether every block reads the same row, repeated.
bool is_same_in_blocks(const View& view) {
    return view.shape.size() == 2 && view.strides[0] == 0 && kBlock % view.shape[1] == 0;
}

// Rows of kWidth times the same element. The width is a constant so that a row is few stores.
template <std::int64_t kWidth, class T>
void repeat(const T* from, std::int64_t stride, std::int64_t rows, T* to) {
    for (std::int64_t row = 0; row < rows; ++row) {
        std::fill_n(to + row * kWidth, kWidth, from[row * stride]);
    }
}

// Brings whole rows of one element each. False: their width has no loop.
template <class T>
bool brings_repeated(const View& view, const T* base, std::int64_t first, std::int64_t n, T* to) {
    if (view.shape.size() != 2 || view.strides[1] != 0) {
        return false;
    }
    const std::int64_t width = view.shape[1];
    const auto by = [&]<std::int64_t kWidth>() {
        if (width != kWidth || first % kWidth != 0 || n % kWidth != 0) {
            return false;
        }
        repeat<kWidth>(base + view.offset + first / kWidth * view.strides[0], view.strides[0], n / kWidth, to);
        return true;
    };
    return by.template operator()<8>() || by.template operator()<16>() || by.template operator()<32>() ||
           by.template operator()<64>() || by.template operator()<128>();
}

// Whether a block consists of whole short rows, which are faster element by element than as runs.
bool is_of_short_rows(const View& view, std::int64_t first, std::int64_t n) {
    constexpr std::int64_t kShort = 16;
    return view.shape.size() == 2 && view.shape[1] <= kShort && first % view.shape[1] == 0 && n % view.shape[1] == 0;
}

// Calls f(address, position in the block) for each element.
template <class F>
void each_of_short_rows(const View& view, std::int64_t first, std::int64_t n, F f) {
    const std::int64_t width = view.shape[1];
    std::int64_t row = view.offset + first / width * view.strides[0];
    for (std::int64_t done = 0; done < n; done += width) {
        for (std::int64_t i = 0; i < width; ++i) {
            f(row + i * view.strides[1], done + i);
        }
        row += view.strides[0];
    }
}

template <class T>
void bring_as(const View& view, const std::byte* base, std::int64_t first, std::int64_t n, std::byte* out) {
    const auto* from = reinterpret_cast<const T*>(base);
    auto* to = reinterpret_cast<T*>(out);
    if (brings_repeated(view, from, first, n, to)) {
        return;
    }
    if (is_of_short_rows(view, first, n)) {
        each_of_short_rows(view, first, n, [&](std::int64_t at, std::int64_t done) { to[done] = from[at]; });
        return;
    }
    each_run(view, first, n, [&](std::int64_t at, std::int64_t stride, std::int64_t run, std::int64_t done) {
        bring_run(from + at, stride, run, to + done);
    });
}

template <class T>
void put_as(const View& view, std::byte* base, std::int64_t first, std::int64_t n, const std::byte* in) {
    auto* to = reinterpret_cast<T*>(base);
    const auto* from = reinterpret_cast<const T*>(in);
    if (is_of_short_rows(view, first, n)) {
        each_of_short_rows(view, first, n, [&](std::int64_t at, std::int64_t done) { to[at] = from[done]; });
        return;
    }
    each_run(view, first, n, [&](std::int64_t at, std::int64_t stride, std::int64_t run, std::int64_t done) {
        put_run(to + at, stride, run, from + done);
    });
}

}  // namespace

void bring(const View& view, const std::byte* base, std::size_t bytes, std::int64_t first, std::int64_t n,
           std::byte* out) {
    if (bytes == 4) {
        bring_as<std::uint32_t>(view, base, first, n, out);
    } else if (bytes == 8) {
        bring_as<std::uint64_t>(view, base, first, n, out);
    } else {
        bring_as<std::uint8_t>(view, base, first, n, out);
    }
}

void put(const View& view, std::byte* base, std::size_t bytes, std::int64_t first, std::int64_t n,
         const std::byte* in) {
    if (bytes == 4) {
        put_as<std::uint32_t>(view, base, first, n, in);
    } else if (bytes == 8) {
        put_as<std::uint64_t>(view, base, first, n, in);
    } else {
        put_as<std::uint8_t>(view, base, first, n, in);
    }
}

namespace {

// Runs the elements from `begin` to `end`.
void run_part(const Loop& loop, const Memory& memory, const Desk& desk, std::int64_t begin, std::int64_t end) {
    const auto base = [&](std::uint32_t buffer) { return static_cast<std::byte*>(memory.bases[buffer]); };
    std::byte** slots = desk.slots;
    for (std::uint32_t i = 0; i < loop.slots; ++i) {
        slots[i] = desk.blocks + i * memory.slot_bytes;
    }
    const std::int64_t whole = std::min(end - begin, kBlock);
    const auto is_same = [](const Load& load) {
        return load.access == Access::kSame || (load.access == Access::kScattered && is_same_in_blocks(load.view));
    };
    for (const Load& load : loop.loads) {
        if (is_same(load)) {
            bring(load.view, base(load.view.buffer), load.bytes, 0, whole, slots[load.slot]);
        } else if (load.access == Access::kReady) {
            slots[load.slot] = base(load.view.buffer);
        }
    }
    for (std::int64_t first = begin; first < end; first += kBlock) {
        const std::int64_t n = std::min(kBlock, end - first);
        for (const Load& load : loop.loads) {
            std::byte* from = base(load.view.buffer);
            if (load.access == Access::kDense) {
                slots[load.slot] = from + static_cast<std::size_t>(load.view.offset + first) * load.bytes;
            } else if (load.access == Access::kScattered && !is_same(load)) {
                bring(load.view, from, load.bytes, first, n, slots[load.slot]);
            }
        }
        for (const Store& store : loop.stores) {
            if (store.access == Access::kDense) {
                slots[store.slot] =
                    base(store.view.buffer) + static_cast<std::size_t>(store.view.offset + first) * store.bytes;
            }
        }
        for (const Step& step : loop.steps) {
            const void* in[] = {slots[step.in[0]], slots[step.in[1]], slots[step.in[2]]};
            step.map(slots[step.out], in, static_cast<std::size_t>(n));
        }
        for (const Store& store : loop.stores) {
            if (store.access == Access::kScattered) {
                put(store.view, base(store.view.buffer), store.bytes, first, n, slots[store.slot]);
            }
        }
    }
}

}  // namespace

void run_loop(const Loop& loop, const Memory& memory) {
    const auto desks = static_cast<std::int64_t>(memory.desks.size());
    if (desks == 1 || loop.count * static_cast<std::int64_t>(loop.steps.size()) < kLoopWorthSharing) {
        run_part(loop, memory, memory.desks.front(), 0, loop.count);
        return;
    }
    const std::int64_t part = ((loop.count + desks - 1) / desks + kBlock - 1) / kBlock * kBlock;
    share(memory, loop.count, part, [&](std::int64_t first, std::int64_t count, const Desk& desk) {
        run_part(loop, memory, desk, first, first + count);
    });
}

}  // namespace tenon::compiled
