// SPDX-License-Identifier: Apache-2.0
// Every set of kernels that this processor can run, against plain loops in double.
#include "engines/compiled/kernels/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/data/slab.hpp"
#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "base/simd/level.hpp"
#include "support/catch.hpp"

namespace tenon::compiled::baseline {
const Kernels& of(DType real);
}
#if defined(__x86_64__)
namespace tenon::compiled::avx2 {
const Kernels& of(DType real);
}
namespace tenon::compiled::avx512 {
const Kernels& of(DType real);
}
#endif

namespace kernels_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

struct Set {
    std::string name;
    const Kernels& (*of)(DType real);
};

std::vector<Set> sets() {
    std::vector<Set> out{{"baseline", baseline::of}};
#if defined(__x86_64__)
    if (simd::level() != simd::Level::kBase) {
        out.push_back({"avx2", avx2::of});
    }
    if (simd::level() == simd::Level::kAvx512) {
        out.push_back({"avx512", avx512::of});
    }
#endif
    return out;
}

template <class T>
constexpr DType kReal = sizeof(T) == 8 ? DType::kF64 : DType::kF32;

template <class T>
std::vector<T> numbers(const std::string& name, std::int64_t count) {
    std::vector<T> out(static_cast<std::size_t>(count));
    fill_normal(make_key(7, name), 0, out.data(), out.size());
    return out;
}

struct Shape {
    std::int64_t m;
    std::int64_t n;
    std::int64_t k;
};

// In the layouts that updates have: rows times transposed weights, rows times weights, transposed rows times rows.
enum class Layout { kForward, kBack, kWeights };

double ended(Tail tail, double x, double with) {
    switch (tail) {
        case Tail::kNone:
            return x;
        case Tail::kRelu:
            return std::max(x, 0.0);
        case Tail::kWherePositive:
            return with > 0 ? x : 0;
        case Tail::kTanhSlope:
            return x * (1 - with * with);
        case Tail::kTanh:
            return std::tanh(x);
    }
    return x;
}

template <class T>
void check_product(const Kernels& kernels, const Shape& shape, Layout layout, bool with_bias, Tail tail = Tail::kNone,
                   bool some_rows_zero = false) {
    const auto [m, n, k] = shape;
    constexpr std::int64_t kBatch = 2;
    auto a = numbers<T>("a", kBatch * m * k);
    for (std::int64_t row = 0; some_rows_zero && row < kBatch * m; ++row) {
        if (row % 5 < 2) {
            std::fill_n(a.begin() + row * k, k, T(0));
        }
    }
    auto with = numbers<T>("with", kBatch * m * n);
    for (T& each : with) {
        each /= 4;  // as small as an activation
    }
    const auto b = numbers<T>("b", kBatch * n * k);
    const auto bias = numbers<T>("bias", kBatch * n);
    std::vector<T> c(static_cast<std::size_t>(kBatch * m * (n + 3)), T(77));  // rows with a gap
    Product task;
    task.batch = kBatch;
    task.m = m;
    task.n = n;
    task.k = k;
    task.a = a.data();
    task.b = b.data();
    task.a_strides =
        layout == Layout::kWeights ? std::array{m * k, std::int64_t{1}, m} : std::array{m * k, k, std::int64_t{1}};
    task.b_strides =
        layout == Layout::kForward ? std::array{n * k, std::int64_t{1}, k} : std::array{n * k, n, std::int64_t{1}};
    task.bias = with_bias ? bias.data() : nullptr;
    task.bias_stride = n;
    task.c = c.data();
    task.c_batch = m * (n + 3);
    task.c_row = n + 3;
    task.tail = tail;
    if (tail != Tail::kNone && tail != Tail::kRelu) {
        task.with = with.data();
        task.with_batch = m * n;
        task.with_row = n;
    }
    auto scratch = Slab::make(kernels.product_scratch(n, k, m));
    REQUIRE(scratch.has_value());
    task.scratch = scratch->data();
    kernels.product(task);
    const double tolerance = (sizeof(T) == 8 ? 1e-14 : 1e-6) * std::sqrt(static_cast<double>(k)) * 4;
    double worst = 0;
    bool gaps_kept = true;
    for (std::int64_t batch = 0; batch < kBatch; ++batch) {
        for (std::int64_t i = 0; i < m; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
                double want = with_bias ? static_cast<double>(bias[static_cast<std::size_t>(batch * n + j)]) : 0;
                for (std::int64_t p = 0; p < k; ++p) {
                    const auto left =
                        static_cast<std::size_t>(batch * m * k + i * task.a_strides[1] + p * task.a_strides[2]);
                    const auto right =
                        static_cast<std::size_t>(batch * n * k + p * task.b_strides[1] + j * task.b_strides[2]);
                    want += static_cast<double>(a[left]) * static_cast<double>(b[right]);
                }
                const T operand = with[static_cast<std::size_t>(batch * m * n + i * n + j)];
                want = ended(tail, want, static_cast<double>(operand));
                const auto at = static_cast<std::size_t>(batch * task.c_batch + i * task.c_row + j);
                worst = std::max(worst, std::abs(static_cast<double>(c[at]) - want));
            }
            for (std::int64_t gap = 0; gap < 3; ++gap) {
                gaps_kept =
                    gaps_kept && c[static_cast<std::size_t>(batch * task.c_batch + i * task.c_row + n + gap)] == T(77);
            }
        }
    }
    CHECK(worst < tolerance);
    CHECK(gaps_kept);
}

double relative_error(double have, double want) {
    return std::abs(have - want) / std::max(std::abs(want), 1e-30);
}

float apply(const Kernels& kernels, Code code, float x) {
    float out = 0;
    const void* in[] = {&x};
    kernels.map[static_cast<std::size_t>(code)](&out, in, 1);
    return out;
}

}  // namespace

TEST_CASE("products of every layout and odd size are those of plain loops") {
    for (const Set& set : sets()) {
        for (const Shape& shape :
             {Shape{1, 1, 1}, Shape{1, 64, 64}, Shape{13, 33, 5}, Shape{64, 64, 64}, Shape{7, 1, 70}, Shape{31, 3, 17},
              Shape{100, 65, 3}, Shape{5, 129, 40}, Shape{12, 32, 16}, Shape{4, 2, 200}, Shape{203, 70, 21},
              Shape{9, 45, 600}, Shape{110, 18, 300}, Shape{1, 4, 20000}}) {
            for (const Layout layout : {Layout::kForward, Layout::kBack, Layout::kWeights}) {
                for (const bool with_bias : {false, true}) {
                    CAPTURE(set.name, shape.m, shape.n, shape.k, static_cast<int>(layout), with_bias);
                    check_product<float>(set.of(DType::kF32), shape, layout, with_bias);
                    check_product<double>(set.of(DType::kF64), shape, layout, with_bias);
                }
            }
        }
    }
}

TEST_CASE("products that do not fit into a cache are those of plain loops, and have the bits of their rows") {
    constexpr Shape kLong{1100, 17, 230};
    constexpr Shape kDeep{40, 33, 4100};
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF32);
        CAPTURE(set.name);
        check_product<float>(kernels, kLong, Layout::kForward, true);
        check_product<float>(kernels, kLong, Layout::kBack, false, Tail::kTanhSlope);
        check_product<double>(set.of(DType::kF64), kDeep, Layout::kWeights, false);
        for (const Layout layout : {Layout::kBack, Layout::kWeights}) {
            const auto [m, n, k] = layout == Layout::kWeights ? kDeep : kLong;
            const auto a = numbers<float>("a", m * k);
            const auto b = numbers<float>("b", k * n);
            auto scratch = Slab::make(kernels.product_scratch(n, k, m));
            REQUIRE(scratch.has_value());
            const auto first_rows = [&](std::int64_t rows) {
                std::vector<float> c(static_cast<std::size_t>(m * n));
                kernels.product({.m = rows,
                                 .n = n,
                                 .k = k,
                                 .a = a.data(),
                                 .a_strides = layout == Layout::kWeights ? std::array<std::int64_t, 3>{0, 1, m}
                                                                         : std::array<std::int64_t, 3>{0, k, 1},
                                 .b = b.data(),
                                 .b_strides = {0, n, 1},
                                 .c = c.data(),
                                 .c_row = n,
                                 .scratch = scratch->data()});
                c.resize(static_cast<std::size_t>(24 * n));
                return c;
            };
            CHECK(first_rows(m) == first_rows(24));
        }
    }
}

TEST_CASE("a product's tail is taken to each of its elements") {
    for (const Set& set : sets()) {
        for (const Shape& shape :
             {Shape{1, 64, 64}, Shape{13, 33, 5}, Shape{7, 1, 70}, Shape{31, 3, 17}, Shape{100, 64, 64},
              Shape{5, 129, 40}, Shape{203, 70, 21}, Shape{9, 45, 600}, Shape{27, 16, 300}}) {
            for (const Layout layout : {Layout::kForward, Layout::kBack, Layout::kWeights}) {
                for (const Tail tail : {Tail::kRelu, Tail::kWherePositive, Tail::kTanhSlope}) {
                    const bool with_bias = layout == Layout::kForward;
                    CAPTURE(set.name, shape.m, shape.n, shape.k, static_cast<int>(layout), static_cast<int>(tail));
                    check_product<float>(set.of(DType::kF32), shape, layout, with_bias, tail);
                    check_product<double>(set.of(DType::kF64), shape, layout, with_bias, tail);
                }
            }
        }
    }
}

TEST_CASE("rows of nothing but zeros are left out of a product, and are zeros in it") {
    for (const Set& set : sets()) {
        for (const Shape& shape : {Shape{100, 64, 64}, Shape{26, 17, 33}, Shape{500, 40, 300}}) {
            for (const Tail tail : {Tail::kNone, Tail::kWherePositive, Tail::kTanhSlope}) {
                CAPTURE(set.name, shape.m, shape.n, shape.k, static_cast<int>(tail));
                check_product<float>(set.of(DType::kF32), shape, Layout::kBack, false, tail, true);
                check_product<double>(set.of(DType::kF64), shape, Layout::kBack, false, tail, true);
            }
        }
    }
}

TEST_CASE("rows upon each other are what they are one by one, and what is no number stays") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF64);
        constexpr std::int64_t kRows = 5;
        for (const std::int64_t width : {1, 7, 32, 77, 130}) {
            std::vector<double> x = numbers<double>("rows", kRows * width);
            x[static_cast<std::size_t>(2 * width)] = nan;
            std::vector<double> sum(static_cast<std::size_t>(width), 1.0);
            std::vector<double> most = sum;
            std::vector<double> least = sum;
            const Rows rows{.x = x.data(), .stride = width, .rows = kRows, .width = width};
            kernels.sum_onto(sum.data(), rows);
            kernels.max_onto(most.data(), rows);
            kernels.min_onto(least.data(), rows);
            CAPTURE(set.name, width);
            CHECK((std::isnan(sum[0]) && std::isnan(most[0]) && std::isnan(least[0])));
            for (std::size_t j = 1; j < sum.size(); ++j) {
                double want_sum = 1;
                double want_most = 1;
                double want_least = 1;
                for (std::size_t row = 0; row < kRows; ++row) {
                    const double next = x[row * sum.size() + j];
                    want_sum += next;
                    want_most = std::max(want_most, next);
                    want_least = std::min(want_least, next);
                }
                CHECK(sum[j] == want_sum);
                CHECK(most[j] == want_most);
                CHECK(least[j] == want_least);
            }
        }
    }
}

TEST_CASE("sums of many rows are those of each row") {
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF32);
        for (const std::int64_t width : {1, 31, 32, 63, 100, 5000}) {
            constexpr std::int64_t kRows = 19;
            const auto x = numbers<float>("rows", kRows * (width + 2));
            std::vector<float> sums(std::size_t{2} * kRows);
            kernels.sum_rows({.x = x.data(), .stride = width + 2, .rows = kRows, .width = width}, sums.data(), 2);
            CAPTURE(set.name, width);
            for (std::int64_t row = 0; row < kRows; ++row) {
                const double want = kernels.sum({.x = x.data() + row * (width + 2), .stride = 1, .n = width});
                CHECK(sums[static_cast<std::size_t>(2 * row)] == static_cast<float>(want));
            }
        }
    }
}

TEST_CASE("the best of many elements is the first of zeros, and what is no number") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF32);
        for (const std::int64_t n : {31, 32, 63, 129}) {
            CAPTURE(set.name, n);
            std::vector<float> x = numbers<float>("elements", n);
            CHECK(kernels.max({.x = x.data(), .stride = 1, .n = n}) == *std::ranges::max_element(x));
            CHECK(kernels.min({.x = x.data(), .stride = 1, .n = n}) == *std::ranges::min_element(x));
            for (float& each : x) {
                each = -std::abs(each);
            }
            x[1] = -0.0F;
            x[static_cast<std::size_t>(n - 2)] = 0.0F;
            CHECK(std::signbit(kernels.max({.x = x.data(), .stride = 1, .n = n})));
            for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
                std::vector<float> with_nan = x;
                with_nan[static_cast<std::size_t>(at)] = nan;
                CHECK(std::isnan(kernels.max({.x = with_nan.data(), .stride = 1, .n = n})));
                CHECK(std::isnan(kernels.min({.x = with_nan.data(), .stride = 1, .n = n})));
            }
        }
    }
}

TEST_CASE("a product of nothing is its bias, or zeros") {
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF32);
        const std::vector<float> bias(40, 3.0F);
        std::vector<float> out(20 * bias.size(), -1.0F);
        std::vector<float> scratch(kernels.product_scratch(40, 0, 20) / sizeof(float) + 16);
        Product task;
        task.m = 20;
        task.n = 40;
        task.a = task.b = bias.data();
        task.a_strides = {0, 0, 1};
        task.b_strides = {0, 40, 1};
        task.c = out.data();
        task.c_row = 40;
        task.scratch = scratch.data();
        kernels.product(task);
        CHECK(std::ranges::count(out, 0.0F) == 800);
        task.bias = bias.data();
        kernels.product(task);
        CHECK(std::ranges::count(out, 3.0F) == 800);
    }
}

TEST_CASE("every operation on elements has a loop for some kind of numbers") {
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF32);
        for (std::size_t i = 0; i < static_cast<std::size_t>(Code::kElementwise); ++i) {
            CAPTURE(set.name, name_of(static_cast<Code>(i)));
            CHECK((kernels.map[i] != nullptr || kernels.map_int[i] != nullptr || kernels.map_bool[i] != nullptr));
        }
    }
}

TEST_CASE("functions of a float are within their stated error of the C library's in double") {
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF32);
        double tanh_error = 0;
        double exp_error = 0;
        double log_error = 0;
        double log1p_error = 0;
        double expm1_error = 0;
        double softplus_error = 0;
        for (int i = -120'000; i <= 120'000; ++i) {
            const float x = static_cast<float>(i) * 1e-4F;
            tanh_error =
                std::max(tanh_error, relative_error(apply(kernels, Code::kTanh, x), std::tanh(static_cast<double>(x))));
            exp_error =
                std::max(exp_error, relative_error(apply(kernels, Code::kExp, x), std::exp(static_cast<double>(x))));
            expm1_error = std::max(expm1_error,
                                   relative_error(apply(kernels, Code::kExpm1, x), std::expm1(static_cast<double>(x))));
            softplus_error = std::max(softplus_error, relative_error(apply(kernels, Code::kSoftplus, x),
                                                                     std::log1p(std::exp(static_cast<double>(x)))));
            if (x > -1) {
                log1p_error = std::max(
                    log1p_error, relative_error(apply(kernels, Code::kLog1p, x), std::log1p(static_cast<double>(x))));
            }
            if (x > 0) {
                const double want = std::log(static_cast<double>(x));
                log_error =
                    std::max(log_error, std::abs(apply(kernels, Code::kLog, x) - want) / std::max(std::abs(want), 0.1));
            }
        }
        CAPTURE(set.name);
        CHECK(tanh_error < 4e-7);
        CHECK(exp_error < 2e-7);
        CHECK(log_error < 2e-7);
        CHECK(log1p_error < 4e-7);
        CHECK(expm1_error < 4e-7);
        CHECK(softplus_error < 4e-7);
    }
}

TEST_CASE("an element's result does not depend on where among others it stands") {
    std::vector<float> x(77);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i) * 0.173F - 6.0F;
    }
    std::vector<float> out(x.size());
    const void* in[] = {x.data()};
    for (const Set& set : sets()) {
        const Kernels& kernels = set.of(DType::kF32);
        for (const Code code : {Code::kTanh, Code::kExp, Code::kLog, Code::kLog1p, Code::kExpm1, Code::kSigmoid,
                                Code::kSoftplus, Code::kErf, Code::kSqrt}) {
            kernels.map[static_cast<std::size_t>(code)](out.data(), in, x.size());
            bool same = true;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const float alone = apply(kernels, code, x[i]);
                same = same && (out[i] == alone || (std::isnan(out[i]) && std::isnan(alone)));
            }
            CAPTURE(set.name, static_cast<int>(code));
            CHECK(same);
        }
    }
}

TEST_CASE("functions of a float keep what is no number, and their limits") {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    for (const Set& set : sets()) {
        CAPTURE(set.name);
        const Kernels& kernels = set.of(DType::kF32);
        for (const Code code : {Code::kTanh, Code::kExp, Code::kLog, Code::kSigmoid, Code::kRelu, Code::kSoftplus,
                                Code::kLog1p, Code::kExpm1}) {
            CHECK(std::isnan(apply(kernels, code, kNan)));
        }
        CHECK(apply(kernels, Code::kTanh, kInf) == 1.0F);
        CHECK(apply(kernels, Code::kTanh, -50.0F) == -1.0F);
        CHECK(apply(kernels, Code::kTanh, 1e-20F) == Catch::Approx(1e-20F));
        CHECK(apply(kernels, Code::kExp, kInf) == kInf);
        CHECK(apply(kernels, Code::kExp, -kInf) == 0.0F);
        CHECK(apply(kernels, Code::kExp, 88.7F) < kInf);
        CHECK(apply(kernels, Code::kExp, 89.0F) == kInf);
        CHECK(apply(kernels, Code::kLog, 0.0F) == -kInf);
        CHECK(apply(kernels, Code::kLog, kInf) == kInf);
        CHECK(std::isnan(apply(kernels, Code::kLog, -1.0F)));
        CHECK(apply(kernels, Code::kLog, 1e-40F) == Catch::Approx(std::log(1e-40)));
        CHECK(apply(kernels, Code::kSigmoid, -kInf) == 0.0F);
        CHECK(apply(kernels, Code::kLog1p, -1.0F) == -kInf);
        CHECK(apply(kernels, Code::kLog1p, kInf) == kInf);
        CHECK(apply(kernels, Code::kLog1p, 1e-20F) == 1e-20F);
        CHECK(std::isnan(apply(kernels, Code::kLog1p, -2.0F)));
        CHECK(apply(kernels, Code::kExpm1, -kInf) == -1.0F);
        CHECK(apply(kernels, Code::kExpm1, kInf) == kInf);
        CHECK(apply(kernels, Code::kExpm1, 88.7F) < kInf);
        CHECK(apply(kernels, Code::kExpm1, 1e-20F) == 1e-20F);
        CHECK(apply(kernels, Code::kSoftplus, 100.0F) == 100.0F);
    }
}

TEST_CASE("sums of many floats lose little") {
    for (const Set& set : sets()) {
        const std::vector<float> ones(100'003, 0.1F);
        const double total = set.of(DType::kF32).sum({.x = ones.data(), .stride = 1, .n = 100'003});
        CHECK(relative_error(total, 100'003 * static_cast<double>(0.1F)) < 1e-6);
    }
}

}  // namespace kernels_test
