// SPDX-License-Identifier: Apache-2.0
// The kernels of products of many rows, each at its edges, with a plain loop as the oracle. They are called by
// themselves, because an update chooses them for large products only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "base/device/block.hpp"
#include "base/simd/tanh.hpp"
#include "engines/compiled/codes.hpp"
#include "engines/cuda/kernels.hpp"
#include "unit/update_kernels/products.hpp"

namespace on_device {

// Numbers on the host and on the device, the first of them `off` elements after an aligned address.
struct Numbers {
    Block on_device;
    std::vector<float> here;
    std::int64_t off;

    Numbers(const std::shared_ptr<Device>& device, std::vector<float> values, std::int64_t after)
        : here(std::move(values)), off(after) {
        Result<Block> made = Block::make(device, (here.size() + static_cast<std::size_t>(off)) * 4);
        REQUIRE(made);
        on_device = std::move(*made);
        std::vector<float> all(static_cast<std::size_t>(off));
        all.insert(all.end(), here.begin(), here.end());
        REQUIRE(on_device.write(all.data(), all.size() * 4));
    }
    [[nodiscard]] float* at() const { return reinterpret_cast<float*>(on_device.memory()) + off; }
    [[nodiscard]] std::vector<float> read() const {
        std::vector<float> all(here.size() + static_cast<std::size_t>(off));
        REQUIRE(on_device.read(all.data(), all.size() * 4));
        return {all.begin() + off, all.end()};
    }
};

struct WideCase {
    device::Kernel kernel;
    std::int64_t batch, m, n, k;
    bool a_turned, b_turned, has_bias;
    Tail tail;
    std::int64_t off;  // of all addresses
    std::int64_t gap;  // between rows of the result and of what the tail reads
    std::int64_t blocks;
};

inline float with_tail(Tail tail, float x, float operand) {
    if (tail == Tail::kTanh) {
        simd::tanh(&x, &x, 1);
    }
    return tail == Tail::kRelu            ? (x <= 0 ? 0 : x)
           : tail == Tail::kWherePositive ? (operand > 0 ? x : 0)
           : tail == Tail::kTanhSlope     ? x * std::fmaf(-operand, operand, 1)
                                          : x;
}

// Elements of a row and a column, `first` to `end`, one after the other.
inline float chain(const float* a, std::int64_t a_step, const float* b, std::int64_t b_step, std::int64_t first,
                   std::int64_t end, float sum) {
    for (std::int64_t p = first; p < end; ++p) {
        sum = std::fmaf(a[p * a_step], b[p * b_step], sum);
    }
    return sum;
}

// In sixteen lanes, added by halves; then what is left.
inline float in_lanes(const float* a, const float* b, std::int64_t b_step, std::int64_t k, float bias) {
    constexpr std::int64_t kLanes = 16;
    const std::int64_t whole = k / kLanes * kLanes;
    float lanes[kLanes] = {};
    for (std::int64_t p = 0; p < whole; ++p) {
        lanes[p % kLanes] = std::fmaf(a[p], b[p * b_step], lanes[p % kLanes]);
    }
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane) {
            lanes[lane] += lanes[lane + half];
        }
    }
    return chain(a, 1, b, b_step, whole, k, lanes[0] + bias);
}

// Elements that differ from those of a plain loop; what is between rows must stay.
inline std::int64_t wrong_of(const std::shared_ptr<Device>& device, const device::Kernels& kernels, const WideCase& of,
                             std::mt19937_64& generator) {
    const std::int64_t c_row = of.n + of.gap;
    const Numbers a(device, normal(generator, of.batch * of.m * of.k), of.off);
    const Numbers b(device, normal(generator, of.batch * of.n * of.k), of.off);
    const Numbers bias(device, normal(generator, of.batch * of.n), of.off);
    const Numbers with(device, normal(generator, of.batch * of.m * c_row), of.off);
    const Numbers c(device, normal(generator, of.batch * of.m * c_row), of.off);
    const bool reads = reads_operand(of.tail);
    device::ProductWork work{};
    work.batch = of.batch;
    work.m = of.m;
    work.n = of.n;
    work.k = of.k;
    work.a = a.at();
    work.b = b.at();
    const std::int64_t a_strides[] = {of.m * of.k, of.a_turned ? 1 : of.k, of.a_turned ? of.m : 1};
    const std::int64_t b_strides[] = {of.n * of.k, of.b_turned ? 1 : of.n, of.b_turned ? of.k : 1};
    std::copy_n(a_strides, 3, work.a_strides);
    std::copy_n(b_strides, 3, work.b_strides);
    work.bias = of.has_bias ? bias.at() : nullptr;
    work.bias_stride = of.n;
    work.c = c.at();
    work.c_batch = of.m * c_row;
    work.c_row = c_row;
    work.tail = static_cast<std::int32_t>(of.tail);
    work.with = reads ? with.at() : nullptr;
    work.with_batch = of.m * c_row;
    work.with_row = c_row;
    REQUIRE(device::launch_blocks(*device, kernels, of.kernel, of.blocks, &work));

    std::vector<float> expected = c.here;
    for (std::int64_t i = 0; i < of.batch * of.m * of.n; ++i) {
        const std::int64_t batch = i / of.n / of.m;
        const std::int64_t row = i / of.n % of.m;
        const std::int64_t column = i % of.n;
        const float* const left = a.here.data() + batch * a_strides[0] + row * a_strides[1];
        const float* const right = b.here.data() + batch * b_strides[0] + column * b_strides[2];
        const float start = of.has_bias ? bias.here[static_cast<std::size_t>(batch * of.n + column)] : 0;
        const float sum = of.kernel == device::Kernel::kProductNarrow
                              ? in_lanes(left, right, b_strides[1], of.k, start)
                              : chain(left, a_strides[2], right, b_strides[1], 0, of.k, start);
        const auto place = static_cast<std::size_t>((batch * of.m + row) * c_row + column);
        expected[place] = with_tail(of.tail, sum, with.here[place]);
    }
    const std::vector<float> found = c.read();
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        wrong += std::memcmp(&found[i], &expected[i], sizeof(float)) == 0 ? 0 : 1;
    }
    return wrong;
}

// `every`: one of so many cases.
inline void try_wide_products(const std::shared_ptr<Device>& device, std::uint64_t every) {
    using device::Kernel;
    const Result<device::Kernels> kernels = device::load_kernels(*device);
    REQUIRE(kernels);
    std::mt19937_64 generator(3);
    const auto any = [&](std::uint64_t below) { return static_cast<std::int64_t>(generator() % below); };
    for (const Kernel kernel :
         {Kernel::kProductWide, Kernel::kProductTall, Kernel::kProductLow, Kernel::kProductNarrow}) {
        for (const std::int64_t m : {1, 7, 33, 129, 300}) {
            for (const std::int64_t n : {1, 2, 3, 4, 9, 32, 64, 100}) {
                for (const std::int64_t k : {1, 2, 4, 5, 8, 16, 17, 20, 63, 64, 65, 512}) {
                    const bool narrow = kernel == Kernel::kProductNarrow;
                    if ((narrow && (n > 4 || k < 16 || k % 4 != 0)) || generator() % every != 0) {
                        continue;
                    }
                    const WideCase of{.kernel = kernel,
                                      .batch = 1 + any(2),
                                      .m = m,
                                      .n = n,
                                      .k = k,
                                      .a_turned = !narrow && any(2) == 0,
                                      .b_turned = any(2) == 0,
                                      .has_bias = any(2) == 0,
                                      .tail = static_cast<Tail>(any(5)),
                                      .off = narrow ? 0 : any(2),
                                      .gap = any(3) * 2,
                                      .blocks = 1 + any(5)};
                    CAPTURE(kernel, of.batch, m, n, k, of.a_turned, of.b_turned, of.has_bias, of.tail, of.off, of.gap,
                            of.blocks);
                    CHECK(wrong_of(device, *kernels, of, generator) == 0);
                }
            }
        }
    }
}

// As an update chooses them: large enough to be launched by themselves.
inline void try_large_products(const std::shared_ptr<Device>& device) {
    struct Size {
        std::int64_t m, n, k;
    };
    std::mt19937_64 generator(4);
    for (const auto& [m, n, k] : {Size{1500, 70, 64}, {20000, 64, 4}, {20000, 3, 64}, {300, 60, 300}, {20000, 6, 33}}) {
        for (const bool turned : {false, true}) {
            CAPTURE(m, n, k, turned);
            Case at;
            Op op{.code = Code::kProduct, .kind = Kind::kReal, .in = {}, .out = {}};
            op.in = {side(at, generator, 1, m, k, false), side(at, generator, 1, k, n, turned),
                     at.column<float>({1, n}, normal(generator, n)),
                     at.column<float>({1, m, n}, normal(generator, m * n))};
            op.tail = Tail::kTanhSlope;
            op.out = at.result(Kind::kReal, {1, m, n});
            const View out = op.out;
            at.add(std::move(op));
            at.see(out, Kind::kReal);
            at.run(device);
        }
    }
}

}  // namespace on_device
