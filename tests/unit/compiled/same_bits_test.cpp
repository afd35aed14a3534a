// SPDX-License-Identifier: Apache-2.0
// The sets of kernels for AVX2 and for AVX-512 give the same bits: in products those of plain loops with std::fma,
// whose order docs/numerics.md states, elsewhere those of each other.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/data/slab.hpp"
#include "base/simd/level.hpp"
#include "engines/compiled/kernels/kernels.hpp"
#include "support/catch.hpp"

#if defined(__x86_64__)

namespace tenon::compiled::avx2 {
const Kernels& of(DType real);
}
namespace tenon::compiled::avx512 {
const Kernels& of(DType real);
}

namespace same_bits_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

struct Set {
    std::string name;
    const Kernels& (*of)(DType real);
};

// Those that multiply and add in one.
std::vector<Set> sets() {
    std::vector<Set> out;
    if (simd::level() >= simd::Level::kAvx2) {
        out.push_back({"avx2", avx2::of});
    }
    if (simd::level() == simd::Level::kAvx512) {
        out.push_back({"avx512", avx512::of});
    }
    return out;
}

#define NEEDS_FMA()                                                              \
    if (sets().empty()) {                                                        \
        SKIP("this machine has no AVX2 with FMA, or TENON_LEVEL leaves it out"); \
    }
#define NEEDS_BOTH()                                                                           \
    if (sets().size() < 2) {                                                                   \
        SKIP("this machine has no AVX-512, or TENON_LEVEL leaves it out: nothing to compare"); \
    }

template <class T>
constexpr DType kReal = sizeof(T) == 8 ? DType::kF64 : DType::kF32;

using Generator = std::mt19937_64;

std::int64_t one_of(Generator& generator, const std::vector<std::int64_t>& numbers) {
    return numbers[generator() % numbers.size()];
}

template <class T>
std::vector<T> normal(Generator& generator, std::int64_t count) {
    std::normal_distribution<T> distribution;
    std::vector<T> out(static_cast<std::size_t>(count));
    std::ranges::generate(out, [&] { return distribution(generator); });
    return out;
}

// Numbers of all sizes and kinds: any bits, and around 1.
template <class T>
std::vector<T> any(Generator& generator, std::size_t count) {
    std::normal_distribution<T> distribution(0, 8);
    std::vector<T> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        out[i] = i % 2 == 0 ? distribution(generator) : std::bit_cast<T>(static_cast<Bits>(generator()));
    }
    return out;
}

// What is no number has many bits, of which none counts.
template <class T>
bool same(const std::vector<T>& one, const std::vector<T>& other) {
    return std::ranges::equal(
        one, other, [](T x, T y) { return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y)); });
}

// A product whose sides lie in one of three ways each: the first or the second of two sizes is that of neighbours, or
// none.
template <class T>
struct Case {
    std::int64_t m, n, k;
    int a_layout, b_layout;
    bool with_bias, zero_rows;
    Tail tail;
    std::vector<T> a, b, bias, with;
    std::array<std::int64_t, 3> a_strides, b_strides;
};

std::array<std::int64_t, 3> strides_of(int layout, std::int64_t rows, std::int64_t columns) {
    switch (layout) {
        case 0:
            return {rows * columns, columns, 1};
        case 1:
            return {rows * columns, 1, rows};
        default:
            return {2 * rows * columns, 2 * columns, 2};
    }
}

constexpr std::int64_t kBatch = 2;

template <class T>
Case<T> drawn_case(Generator& generator) {
    static const std::vector<std::int64_t> kRows = {1, 2, 3, 4, 6, 11, 12, 13, 23, 24, 31, 64, 97, 203};
    static const std::vector<std::int64_t> kColumns = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70};
    static const std::vector<std::int64_t> kDepths = {0,  1,  3,  4,  7,  8,  9,  15,  16,  17,
                                                      23, 24, 31, 64, 84, 95, 96, 256, 300, 530};
    Case<T> out;
    out.m = one_of(generator, kRows);
    out.n = one_of(generator, kColumns);
    out.k = one_of(generator, kDepths);
    out.a_layout = static_cast<int>(generator() % 3);
    out.b_layout = static_cast<int>(generator() % 3);
    out.with_bias = generator() % 2 == 0;
    out.zero_rows = generator() % 3 == 0;
    out.tail = static_cast<Tail>(generator() % 4);
    out.a = normal<T>(generator, 2 * kBatch * out.m * out.k);
    out.b = normal<T>(generator, 2 * kBatch * out.n * out.k);
    out.bias = normal<T>(generator, kBatch * out.n);
    out.with = normal<T>(generator, kBatch * out.m * out.n);
    out.a_strides = strides_of(out.a_layout, out.m, out.k);
    out.b_strides = strides_of(out.b_layout, out.k, out.n);
    for (std::int64_t row = 0; out.zero_rows && row < kBatch * out.m; ++row) {
        for (std::int64_t p = 0; row % 5 < 3 && p < out.k; ++p) {
            out.a[static_cast<std::size_t>(row / out.m * out.a_strides[0] + row % out.m * out.a_strides[1] +
                                           p * out.a_strides[2])] = 0;
        }
    }
    return out;
}

template <class T>
Product task_of(const Case<T>& of, std::vector<T>& c) {
    Product task;
    task.batch = kBatch;
    task.m = of.m;
    task.n = of.n;
    task.k = of.k;
    task.a = of.a.data();
    task.a_strides = of.a_strides;
    task.b = of.b.data();
    task.b_strides = of.b_strides;
    task.bias = of.with_bias ? of.bias.data() : nullptr;
    task.bias_stride = of.n;
    task.c = c.data();
    task.c_batch = of.m * of.n;
    task.c_row = of.n;
    task.tail = of.tail;
    if (of.tail == Tail::kWherePositive || of.tail == Tail::kTanhSlope) {
        task.with = of.with.data();
        task.with_batch = of.m * of.n;
        task.with_row = of.n;
    }
    return task;
}

template <class T>
std::vector<T> product_of(const Kernels& kernels, const Case<T>& of) {
    std::vector<T> c(static_cast<std::size_t>(kBatch * of.m * of.n));
    Product task = task_of(of, c);
    auto scratch = Slab::make(kernels.product_scratch(of.n, of.k, of.m));
    REQUIRE(scratch.has_value());
    task.scratch = scratch->data();
    kernels.product(task);
    return c;
}

// A dot product in lanes, halves upon each other, for few rows or columns; a chain over k otherwise.
template <class T, class At>
T element(bool in_lanes, std::int64_t k, T bias, At at) {
    constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));
    T total = bias;
    std::int64_t p = 0;
    if (in_lanes) {
        std::array<T, static_cast<std::size_t>(kLanes)> lanes{};
        for (; p + kLanes <= k; p += kLanes) {
            for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                T& sum = lanes[static_cast<std::size_t>(lane)];
                sum = std::fma(at(p + lane).first, at(p + lane).second, sum);
            }
        }
        for (std::size_t half = lanes.size() / 2; half > 0; half /= 2) {
            for (std::size_t lane = 0; lane < half; ++lane) {
                lanes[lane] += lanes[lane + half];
            }
        }
        total = lanes[0] + bias;
    }
    for (; p < k; ++p) {
        total = std::fma(at(p).first, at(p).second, total);
    }
    return total;
}

template <class T>
T ended(Tail tail, T x, T with) {
    switch (tail) {
        case Tail::kNone:
            return x;
        case Tail::kRelu:
            return x > 0 ? x : T(0);
        case Tail::kWherePositive:
            return with > 0 ? x : T(0);
        case Tail::kTanhSlope:
            return x * std::fma(-with, with, T(1));
        case Tail::kTanh:
            return std::tanh(x);
    }
    return x;
}

template <class T>
std::vector<T> plain_product(const Case<T>& of) {
    const bool few_rows = of.m <= 3 && of.b_strides[2] != 1 && of.b_strides[1] == 1;
    const bool in_lanes =
        (of.n <= 4 || few_rows) && of.k >= 64 / static_cast<std::int64_t>(sizeof(T)) && of.a_strides[2] == 1;
    std::vector<T> out;
    for (std::int64_t batch = 0; batch < kBatch; ++batch) {
        for (std::int64_t i = 0; i < of.m; ++i) {
            for (std::int64_t j = 0; j < of.n; ++j) {
                const T* a = of.a.data() + batch * of.a_strides[0] + i * of.a_strides[1];
                const T* b = of.b.data() + batch * of.b_strides[0] + j * of.b_strides[2];
                const T bias = of.with_bias ? of.bias[static_cast<std::size_t>(batch * of.n + j)] : T(0);
                const T x = element<T>(in_lanes, of.k, bias, [&](std::int64_t p) {
                    return std::pair(a[p * of.a_strides[2]], b[p * of.b_strides[1]]);
                });
                out.push_back(ended(of.tail, x, of.with[out.size()]));
            }
        }
    }
    return out;
}

template <class T>
void check_products(int count) {
    Generator generator(1);
    for (int i = 0; i < count; ++i) {
        const Case<T> drawn = drawn_case<T>(generator);
        const std::vector<T> wanted = plain_product(drawn);
        for (const Set& set : sets()) {
            INFO(set.name << ", m " << drawn.m << ", n " << drawn.n << ", k " << drawn.k << ", layouts "
                          << drawn.a_layout << drawn.b_layout << ", bias " << drawn.with_bias << ", zero rows "
                          << drawn.zero_rows << ", tail " << static_cast<int>(drawn.tail));
            CHECK(same(product_of(set.of(kReal<T>), drawn), wanted));
        }
    }
}

template <class T>
void check_lasting() {
    Generator generator(2);
    for (const std::int64_t n : {5, 17, 64}) {
        for (const std::int64_t k : {3, 16, 84, 300}) {
            Case<T> of = drawn_case<T>(generator);
            of.n = n;
            of.k = k;
            of.m = 8;
            of.with_bias = of.zero_rows = false;
            of.tail = Tail::kNone;
            of.a = normal<T>(generator, kBatch * of.m * k);
            of.b = normal<T>(generator, kBatch * n * k);
            of.with = std::vector<T>(static_cast<std::size_t>(kBatch * of.m * n));
            of.a_strides = strides_of(0, of.m, k);
            of.b_strides = strides_of(1, k, n);
            const std::vector<T> wanted = plain_product(of);
            for (const Set& set : sets()) {
                const Kernels& kernels = set.of(kReal<T>);
                std::vector<T> c(wanted.size());
                Product task = task_of(of, c);
                task.batch = 1;
                auto scratch = Slab::make(kernels.product_scratch(n, k, of.m));
                auto lasting = Slab::make(static_cast<std::size_t>(kernels.product_lasting(of.m, n, k)) * sizeof(T));
                REQUIRE((scratch.has_value() && lasting.has_value()));
                task.scratch = scratch->data();
                task.lasting = lasting->data();
                for (const bool stands : {false, true}) {
                    task.lasting_stands = stands;
                    kernels.product(task);
                    CAPTURE(set.name, n, k, stands);
                    CHECK(std::equal(c.begin(), c.begin() + of.m * n, wanted.begin()));
                }
            }
        }
    }
}

template <class T>
void check_functions() {
    constexpr std::size_t kCount = 20'011;
    Generator generator(3);
    std::array<std::vector<T>, 3> in = {any<T>(generator, kCount), any<T>(generator, kCount),
                                        any<T>(generator, kCount)};
    in[2] = normal<T>(generator, kCount);
    std::vector<unsigned char> flags(kCount);
    std::vector<std::int64_t> ints(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        flags[i] = generator() % 2 == 0 ? 1 : 0;
        ints[i] = static_cast<std::int64_t>(i % 2 == 0 ? generator() : generator() % 5);
    }
    const auto run = [&](Kernels::Map map, std::array<const void*, 3> from) {
        std::vector<std::int64_t> out(kCount);  // room for whatever it gives out
        map(out.data(), from.data(), kCount);
        std::vector<T> as_real(kCount);
        std::memcpy(as_real.data(), out.data(), kCount * sizeof(T));
        return std::pair(std::move(out), std::move(as_real));
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(Code::kElementwise); ++i) {
        CAPTURE(i);
        const auto code = static_cast<Code>(i);
        const auto compare = [&](Kernels::Map one, Kernels::Map other, std::array<const void*, 3> from) {
            REQUIRE((one == nullptr) == (other == nullptr));
            if (one != nullptr) {
                const auto have = run(one, from);
                const auto want = run(other, from);
                CHECK((have.first == want.first || same(have.second, want.second)));
            }
        };
        const Kernels& one = avx2::of(kReal<T>);
        const Kernels& other = avx512::of(kReal<T>);
        const bool of_ints = code == Code::kIntToReal || code == Code::kIsIndex;
        const bool of_flags = code == Code::kBoolToReal || code == Code::kWhere;
        if (of_ints) {
            compare(one.map[i], other.map[i], {ints.data(), ints.data(), nullptr});
        } else if (of_flags) {
            compare(one.map[i], other.map[i], {flags.data(), in[0].data(), in[1].data()});
        } else {
            compare(one.map[i], other.map[i], {in[0].data(), in[1].data(), in[2].data()});
            compare(one.map[i], other.map[i], {in[2].data(), in[2].data(), in[0].data()});
        }
    }
}

template <class T>
void check_reductions() {
    Generator generator(4);
    const std::vector<T> x = normal<T>(generator, 3 * 20'000);
    const Kernels& one = avx2::of(kReal<T>);
    const Kernels& other = avx512::of(kReal<T>);
    for (const std::int64_t n : {1, 2, 7, 15, 16, 31, 32, 33, 100, 4095, 4096, 4097, 20'000}) {
        for (const std::int64_t stride : {1, 3}) {
            CAPTURE(n, stride);
            const Run run{.x = x.data(), .stride = stride, .n = n};
            CHECK(one.sum(run) == other.sum(run));
            CHECK(one.max(run) == other.max(run));
            CHECK(one.min(run) == other.min(run));
        }
    }
    for (std::int64_t width = 1; width < 150; ++width) {
        CAPTURE(width);
        const Rows rows{.x = x.data(), .stride = width + 1, .rows = 70, .width = width};
        for (const auto onto : {&Kernels::sum_onto, &Kernels::max_onto, &Kernels::min_onto}) {
            std::vector<T> have(static_cast<std::size_t>(width), T(1));
            std::vector<T> want = have;
            (one.*onto)(have.data(), rows);
            (other.*onto)(want.data(), rows);
            CHECK(same(have, want));
        }
    }
}

// Where rows of zeros are left out, what is not finite on the right does not reach their results.
template <class T>
void check_zero_rows_times_infinity() {
    Generator generator(5);
    for (int i = 0; i < 300; ++i) {
        Case<T> drawn = drawn_case<T>(generator);
        if (!drawn.zero_rows || drawn.k == 0) {
            continue;
        }
        drawn.b[generator() % static_cast<std::size_t>(drawn.n * drawn.k)] = std::numeric_limits<T>::infinity();
        INFO("m " << drawn.m << ", n " << drawn.n << ", k " << drawn.k << ", layouts " << drawn.a_layout
                  << drawn.b_layout << ", tail " << static_cast<int>(drawn.tail));
        CHECK(same(product_of(avx2::of(kReal<T>), drawn), product_of(avx512::of(kReal<T>), drawn)));
    }
}

// A head with its rows apart from each other, and which keys are allowed in one of three ways.
template <class T>
struct Head {
    Attention task;
    std::vector<T> query, key, value, flow;
    std::vector<unsigned char> allowed;
    std::vector<std::int64_t> first;
};

template <class T>
Head<T> drawn_head(Generator& generator) {
    static const std::vector<std::int64_t> kLengths = {1, 2, 5, 12, 23, 24, 25, 33, 64, 97, 300};
    static const std::vector<std::int64_t> kWidths = {1, 3, 8, 15, 16, 17, 32, 40};
    Head<T> out;
    Attention& task = out.task;
    task.queries = one_of(generator, kLengths);
    task.keys = one_of(generator, kLengths);
    task.width = one_of(generator, kWidths);
    task.value_width = one_of(generator, kWidths);
    task.scale = 0.5;
    task.causal = generator() % 2 == 0;
    task.window = task.causal && generator() % 2 == 0 ? one_of(generator, kLengths) : 0;
    task.query_row = task.key_row = task.query_gradient_row = task.key_gradient_row = task.width + 3;
    task.value_row = task.out_row = task.out_gradient_row = task.value_gradient_row = task.value_width + 5;
    out.query = normal<T>(generator, task.queries * task.query_row);
    out.key = normal<T>(generator, task.keys * task.key_row);
    out.value = normal<T>(generator, task.keys * task.value_row);
    out.flow = normal<T>(generator, task.queries * task.out_gradient_row);
    const std::uint64_t which = generator() % 3;
    if (which == 1) {
        task.allowed_row = task.keys;
        task.allowed_key = 1;
        out.allowed.resize(static_cast<std::size_t>(task.queries * task.keys));
        std::ranges::generate(out.allowed, [&] { return static_cast<unsigned char>(generator() % 3 != 0); });
    } else if (which == 2) {
        task.first_row = 1;
        out.first.resize(static_cast<std::size_t>(task.queries));
        std::ranges::generate(out.first, [&] { return static_cast<std::int64_t>(generator() % 40) - 3; });
    }
    return out;
}

// The result and the three gradients, one after the other; memory between rows keeps its zeros.
template <class T>
std::vector<T> attended(const Kernels& kernels, Head<T>& of) {
    Attention task = of.task;
    const std::int64_t sizes[] = {task.queries * task.out_row, task.queries * task.query_row, task.keys * task.key_row,
                                  task.keys * task.value_row};
    std::vector<T> out(static_cast<std::size_t>(sizes[0] + sizes[1] + sizes[2] + sizes[3]));
    auto scratch = Slab::make(std::max(kernels.attention_scratch(task, false), kernels.attention_scratch(task, true)));
    REQUIRE(scratch.has_value());
    task.scratch = scratch->data();
    task.query = of.query.data();
    task.key = of.key.data();
    task.value = of.value.data();
    task.allowed = of.allowed.empty() ? nullptr : of.allowed.data();
    task.first = of.first.empty() ? nullptr : of.first.data();
    task.out = out.data();
    task.out_gradient = of.flow.data();
    task.query_gradient = out.data() + sizes[0];
    task.key_gradient = out.data() + sizes[0] + sizes[1];
    task.value_gradient = out.data() + sizes[0] + sizes[1] + sizes[2];
    kernels.attention(task);
    kernels.attention_gradient(task);
    return out;
}

template <class T>
void check_attention() {
    Generator generator(6);
    for (int i = 0; i < 300; ++i) {
        Head<T> head = drawn_head<T>(generator);
        INFO(head.task.queries << " queries, " << head.task.keys << " keys, widths " << head.task.width << " and "
                               << head.task.value_width << ", causal " << head.task.causal << ", window "
                               << head.task.window << ", mask " << !head.allowed.empty() << ", first "
                               << !head.first.empty());
        const std::vector<T> have = attended(avx2::of(kReal<T>), head);
        CHECK(same(have, attended(avx512::of(kReal<T>), head)));
        CHECK(std::ranges::all_of(have, [](T x) { return std::isfinite(x); }));
    }
}

// Queries that share the first keys and have their own after them.
template <class T>
struct SharedHead {
    SharedAttention task;
    std::vector<T> query, key, value, own_key, own_value;
    std::vector<unsigned char> allowed;
};

template <class T>
SharedHead<T> drawn_shared_head(Generator& generator) {
    static const std::vector<std::int64_t> kShared = {1, 5, 16, 32, 64}, kOwn = {1, 3, 16, 40}, kCounts = {1, 2, 8, 13};
    static const std::vector<std::int64_t> kWidths = {3, 16, 17, 32};
    SharedHead<T> out;
    SharedAttention& task = out.task;
    Attention& first = task.first;
    first.queries = 1;
    first.keys = one_of(generator, kShared);
    first.width = one_of(generator, kWidths);
    first.value_width = one_of(generator, kWidths);
    first.scale = 0.5;
    task.count = one_of(generator, kCounts);
    task.keys = one_of(generator, kOwn);
    first.key_row = task.key_row = task.query_apart = first.width + 3;
    first.value_row = task.value_row = task.out_apart = first.value_width + 5;
    task.key_apart = task.keys * task.key_row + 2;
    task.value_apart = task.keys * task.value_row + 1;
    out.query = normal<T>(generator, task.count * task.query_apart);
    out.key = normal<T>(generator, first.keys * first.key_row);
    out.value = normal<T>(generator, first.keys * first.value_row);
    out.own_key = normal<T>(generator, task.count * task.key_apart);
    out.own_value = normal<T>(generator, task.count * task.value_apart);
    if (generator() % 4 != 0) {  // each allows some of its own keys, which need not be the first ones
        const std::int64_t all = first.keys + task.keys;
        first.allowed_key = 1;
        task.allowed_apart = generator() % 3 != 0 ? all : 0;  // one mask for all, as answers drawn together have
        for (std::int64_t query = 0; query < (task.allowed_apart == 0 ? 1 : task.count); ++query) {
            const auto end =
                first.keys + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(task.keys + 1));
            for (std::int64_t j = 0; j < all; ++j) {
                out.allowed.push_back(j < end && generator() % 5 != 0 ? 1 : 0);
            }
        }
    }
    return out;
}

template <class T>
std::vector<T> shared_attended(const Kernels& kernels, SharedHead<T>& of) {
    SharedAttention task = of.task;
    std::vector<T> out(static_cast<std::size_t>(task.count * task.out_apart));
    auto scratch = Slab::make(kernels.shared_attention_scratch(task));
    REQUIRE(scratch.has_value());
    task.first.scratch = scratch->data();
    task.first.query = of.query.data();
    task.first.key = of.key.data();
    task.first.value = of.value.data();
    task.first.allowed = of.allowed.empty() ? nullptr : of.allowed.data();
    task.first.out = out.data();
    task.key = of.own_key.data();
    task.value = of.own_value.data();
    kernels.shared_attention(task);
    return out;
}

// [keys, width] as [width, padded]; what is not a key is NaN.
template <class T>
void add_transposed(std::vector<T>& to, const T* keys, std::int64_t count, std::int64_t width, std::int64_t row,
                    std::int64_t padded) {
    for (std::int64_t i = 0; i < width; ++i) {
        for (std::int64_t j = 0; j < padded; ++j) {
            to.push_back(j < count ? keys[j * row + i] : std::numeric_limits<T>::quiet_NaN());
        }
    }
}

// The same head with its keys as loops of tokens store them.
template <class T>
SharedHead<T> with_transposed_keys(const SharedHead<T>& of) {
    SharedHead<T> out = of;
    SharedAttention& task = out.task;
    const std::int64_t width = task.first.width;
    task.existing = task.first_key_col = (task.first.keys + 31) / 32 * 32;
    task.key_col = task.keys;
    task.key_apart = width * task.keys;
    task.first.key_row = task.key_row = 1;
    out.key.clear();
    out.own_key.clear();
    add_transposed(out.key, of.key.data(), task.first.keys, width, of.task.first.key_row, task.existing);
    for (std::int64_t query = 0; query < task.count; ++query) {
        add_transposed(out.own_key, of.own_key.data() + query * of.task.key_apart, task.keys, width, of.task.key_row,
                       task.keys);
    }
    return out;
}

// Each query by itself, with all its keys one after the other.
template <class T>
std::vector<T> attended_one_by_one(const Kernels& kernels, const SharedHead<T>& of) {
    const SharedAttention& task = of.task;
    std::vector<T> out(static_cast<std::size_t>(task.count * task.out_apart));
    for (std::int64_t query = 0; query < task.count; ++query) {
        const auto joined = [&](const std::vector<T>& shared, const std::vector<T>& own, std::int64_t apart,
                                std::int64_t row) {
            std::vector<T> all = shared;
            const auto from = own.begin() + query * apart;
            all.insert(all.end(), from, from + task.keys * row);
            return all;
        };
        Attention one = task.first;
        const std::vector<T> key = joined(of.key, of.own_key, task.key_apart, task.key_row);
        const std::vector<T> value = joined(of.value, of.own_value, task.value_apart, task.value_row);
        one.keys += task.keys;
        auto scratch = Slab::make(kernels.attention_scratch(one, false));
        REQUIRE(scratch.has_value());
        one.scratch = scratch->data();
        one.query = of.query.data() + query * task.query_apart;
        one.key = key.data();
        one.value = value.data();
        one.allowed = of.allowed.empty() ? nullptr : of.allowed.data() + query * task.allowed_apart;
        one.out = out.data() + query * task.out_apart;
        kernels.attention(one);
    }
    return out;
}

template <class T>
void check_shared_attention() {
    Generator generator(7);
    for (int i = 0; i < 200; ++i) {
        SharedHead<T> head = drawn_shared_head<T>(generator);
        INFO(head.task.count << " queries, " << head.task.first.keys << " shared keys and " << head.task.keys
                             << ", widths " << head.task.first.width << " and " << head.task.first.value_width
                             << ", mask " << !head.allowed.empty());
        const std::vector<T> have = shared_attended(avx2::of(kReal<T>), head);
        CHECK(same(have, shared_attended(avx512::of(kReal<T>), head)));
        SharedHead<T> transposed = with_transposed_keys(head);
        CHECK(same(have, shared_attended(avx2::of(kReal<T>), transposed)));
        CHECK(same(have, shared_attended(avx512::of(kReal<T>), transposed)));
        const std::vector<T> want = attended_one_by_one(avx2::of(kReal<T>), head);
        if (head.task.first.keys % 32 == 0) {  // otherwise sums have another order
            CHECK(same(have, want));
        }
        T worst = 0;
        for (std::size_t j = 0; j < have.size(); ++j) {
            worst = std::max(worst, std::abs(have[j] - want[j]));
        }
        CHECK(worst <= (sizeof(T) == 8 ? T(1e-14) : T(2e-6)));
    }
}

}  // namespace

TEST_CASE("an element of a product is a chain over k or a dot product in lanes, to the last bit") {
    NEEDS_FMA();
    check_products<float>(400);
    check_products<double>(400);
}

TEST_CASE("a product whose right side stays laid out has the same bits") {
    NEEDS_FMA();
    check_lasting<float>();
    check_lasting<double>();
}

TEST_CASE("AVX2 and AVX-512 give the same bits of every function of numbers") {
    NEEDS_BOTH();
    check_functions<float>();
    check_functions<double>();
}

TEST_CASE("AVX2 and AVX-512 give the same bits of attention and its gradient") {
    NEEDS_BOTH();
    check_attention<float>();
    check_attention<double>();
}

TEST_CASE("queries that share keys give the bits of each by itself, at AVX2 and at AVX-512") {
    NEEDS_BOTH();
    check_shared_attention<float>();
    check_shared_attention<double>();
}

TEST_CASE("AVX2 and AVX-512 give the same bits of sums and extremes") {
    NEEDS_BOTH();
    check_reductions<float>();
    check_reductions<double>();
}

TEST_CASE("AVX2 and AVX-512 leave out the same rows of zeros") {
    NEEDS_BOTH();
    check_zero_rows_times_infinity<float>();
    check_zero_rows_times_infinity<double>();
}

#endif

}  // namespace same_bits_test
