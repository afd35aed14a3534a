// SPDX-License-Identifier: Apache-2.0
// The error function of every set of kernels against mpmath's (tests/golden/erf.txt) and, over the whole range, against
// the C library's long double; and that all sets give the same bits.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/simd/level.hpp"
#include "engines/compiled/element.hpp"
#include "engines/compiled/kernels/kernels.hpp"
#include "engines/compiled/listing_passes.hpp"
#include "engines/compiled/tape.hpp"
#include "support/catch.hpp"
#include "unit/compiled/listings.hpp"

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

namespace erf_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

using KernelsOf = const Kernels& (*)(DType real);

std::vector<KernelsOf> all_sets() {
    std::vector<KernelsOf> out{baseline::of};
#if defined(__x86_64__)
    if (simd::level() != simd::Level::kBase) {
        out.push_back(avx2::of);
    }
    if (simd::level() == simd::Level::kAvx512) {
        out.push_back(avx512::of);
    }
#endif
    return out;
}

template <class T>
constexpr DType kReal = sizeof(T) == 8 ? DType::kF64 : DType::kF32;

template <class T>
constexpr long double kMost = sizeof(T) == 8 ? 8 : 6;  // units in the last place

template <class T>
std::vector<T> erf_of(KernelsOf set, const std::vector<T>& x) {
    std::vector<T> out(x.size());
    const void* in[] = {x.data(), nullptr, nullptr};
    set(kReal<T>).map[static_cast<std::size_t>(Code::kErf)](out.data(), in, x.size());
    return out;
}

// In units of the last place of the true value.
template <class T>
long double units_off(T have, long double wanted) {
    const T near = std::abs(static_cast<T>(wanted));
    const T unit = std::nextafter(near, std::numeric_limits<T>::infinity()) - near;
    return std::abs(have - wanted) / unit;
}

struct Golden {
    std::vector<double> x;
    std::vector<long double> wanted;
};

Golden golden(const std::string& kind) {
    std::ifstream file(TENON_GOLDEN_DIR "/erf.txt");
    Golden out;
    for (std::string of, x, high, low; file >> of >> x >> high >> low;) {
        if (of == kind) {
            out.x.push_back(std::stod(x));
            out.wanted.push_back(static_cast<long double>(std::stod(high)) + std::stod(low));
        }
    }
    REQUIRE(out.x.size() == 600);
    return out;
}

template <class T>
void check_golden(const std::string& kind) {
    const Golden all = golden(kind);
    const std::vector<T> x(all.x.begin(), all.x.end());
    for (const KernelsOf set : all_sets()) {
        const std::vector<T> have = erf_of(set, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            CAPTURE(x[i], have[i]);
            CHECK(units_off(have[i], all.wanted[i]) < kMost<T>);
        }
    }
}

// Every exponent alike, from the smallest subnormal number on, and densely where the curve bends.
template <class T>
std::vector<T> everywhere() {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const Bits end = std::bit_cast<Bits>(T(8));
    std::vector<T> out;
    for (Bits i = 0; i < 400'000; ++i) {
        out.push_back(std::bit_cast<T>(end / 400'000 * i));
        out.push_back(static_cast<T>(i) * T(1.6e-5));
    }
    return out;
}

template <class T>
void check_everywhere() {
    const std::vector<T> x = everywhere<T>();
    const std::vector<T> first = erf_of(all_sets().front(), x);
    for (const KernelsOf set : all_sets()) {
        const std::vector<T> have = erf_of(set, x);
        long double worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            worst = std::max(worst, units_off(have[i], std::erf(static_cast<long double>(x[i]))));
        }
        CHECK(worst < kMost<T>);
        CHECK(have == first);  // none is NaN
    }
}

template <class T>
void check_edges() {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> x = {Limits::infinity(), Limits::max(), T(6), T(0), Limits::denorm_min(), Limits::quiet_NaN()};
    std::vector<T> negative = x;
    std::ranges::transform(negative, negative.begin(), [](T each) { return -each; });
    for (const KernelsOf set : all_sets()) {
        const std::vector<T> have = erf_of(set, x);
        CHECK(std::vector<T>(have.begin(), have.begin() + 5) == std::vector<T>{1, 1, 1, 0, Limits::denorm_min()});
        CHECK(std::isnan(have[5]));
        const std::vector<T> below = erf_of(set, negative);
        for (std::size_t i = 0; i < 5; ++i) {
            CHECK(std::bit_cast<std::array<std::byte, sizeof(T)>>(below[i]) ==
                  std::bit_cast<std::array<std::byte, sizeof(T)>>(-have[i]));
        }
    }
}

}  // namespace

TEST_CASE("erf is within its stated units in the last place of mpmath's") {
    check_golden<float>("f32");
    check_golden<double>("f64");
}

TEST_CASE("erf is as close everywhere, with the same bits with and without AVX") {
    check_everywhere<float>();
    check_everywhere<double>();
}

TEST_CASE("erf at infinity, zero and NaN, and of negative numbers") {
    check_edges<float>();
    check_edges<double>();
}

namespace {

// x / 2 * (1 + erf(x / sqrt 2)) as a graph has it.
Listing of_gelu(DType real, std::int64_t count) {
    Listing out;
    const View x = dense_view(test::add(out, count, Segment::kOutside), {count});
    const auto number = [&](double value) {
        View view{.buffer = test::add(out, 1, Segment::kConstant), .offset = 0, .shape = {count}, .strides = {0}};
        out.buffers[view.buffer].values = stored(value, real);
        return view;
    };
    const auto made = [&](Code code, std::vector<View> in) {
        View view = dense_view(test::add(out, count), {count});
        test::emit(out, code, std::move(in), view);
        return view;
    };
    const View half = made(Code::kMul, {number(0.5), x});
    const View erf = made(Code::kErf, {made(Code::kMul, {number(1 / std::numbers::sqrt2), x})});
    made(Code::kMul, {half, made(Code::kAdd, {number(1), erf})});
    return out;
}

// The result of the last operation.
template <class T>
std::vector<T> computed(Listing listing, std::vector<T> x) {
    std::vector<T> out(x.size());
    listing.buffers[listing.ops.back().out.buffer].segment = Segment::kOutside;
    const std::uint32_t to = listing.ops.back().out.buffer;
    Result<Tape> tape = Tape::make(std::move(listing), kReal<T>, {});
    REQUIRE(tape.has_value());
    tape->begin(1);
    tape->lend(1, x.data());
    tape->lend(to, out.data());
    tape->run_phase(0, Call{});
    return out;
}

template <class T>
void check_gelu() {
    std::vector<T> x;
    for (int i = -3000; i <= 3000; ++i) {
        x.push_back(static_cast<T>(i) / T(400));
    }
    const Listing whole = of_gelu(kReal<T>, std::ssize(x));
    Listing joined = whole;
    join_gelus(joined, kReal<T>, {});
    REQUIRE(joined.ops.size() == 1);
    CHECK(joined.ops[0].code == Code::kGelu);
    CHECK(computed(whole, x) == computed(joined, x));
    for (const Op& part : whole.ops) {  // what is read elsewhere is still computed
        Listing kept = whole;
        const std::uint32_t pinned[] = {part.out.buffer};
        join_gelus(kept, kReal<T>, pinned);
        CHECK(kept.ops.size() == (&part == &whole.ops.back() ? 1 : whole.ops.size()));
    }
}

}  // namespace

TEST_CASE("gelu is one function where nothing else reads its parts, with the same bits") {
    check_gelu<float>();
    check_gelu<double>();
}

// Not in ./test: build/release/tests/test_compiled "[speed]"
TEST_CASE("the time of exact gelu beside tanh, and of erf", "[.][speed]") {
    const auto seconds = []<class T>(KernelsOf set, const std::vector<Code>& codes, std::vector<T> x) {
        const std::vector<T> half(x.size(), T(0.5));
        std::vector<Kernels::Map> maps;
        for (const Code code : codes) {
            maps.push_back(set(kReal<T>).map[static_cast<std::size_t>(code)]);
        }
        double best = 1e9;
        for (int round = 0; round < 40; ++round) {
            const auto begin = std::chrono::steady_clock::now();
            for (std::size_t at = 0; at + 256 <= x.size(); at += 256) {
                for (const Kernels::Map map : maps) {
                    const void* in[] = {x.data() + at, half.data() + at, nullptr};
                    map(x.data() + at, in, 256);
                }
            }
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        }
        return best / static_cast<double>(x.size()) * 1e9;
    };
    const auto tell = [&]<class T>(const std::vector<T>& x) {
        for (const KernelsOf set : all_sets()) {
            const std::vector<Code> gelu = {Code::kMul, Code::kErf, Code::kAdd, Code::kMul, Code::kMul};
            const double tanh = seconds(set, {Code::kTanh}, x);
            WARN("float" << 8 * sizeof(T) << ", nanoseconds a number: tanh " << tanh << ", erf "
                         << seconds(set, {Code::kErf}, x) << ", gelu " << seconds(set, {Code::kGelu}, x)
                         << ", in five operations " << seconds(set, gelu, x));
        }
    };
    tell(std::vector<float>(1 << 16, 0.7F));
    tell(std::vector<double>(1 << 16, 0.7));
}

}  // namespace erf_test
