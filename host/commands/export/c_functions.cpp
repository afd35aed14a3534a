// SPDX-License-Identifier: Apache-2.0
#include "commands/export/c_functions.hpp"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace tenon {
namespace {

struct Function {
    std::string_view name;
    std::string_view text;
};

// These functions compute the same as core/engines/compiled/kernels, in the same order. Each comes after those it
// calls.
constexpr auto kShared = std::to_array<Function>({
    {"clamp_of", R"(static inline real clamp_of(real v, real l, real h) {
    const real raised = v < l ? l : v;
    return v != v || l != l || h != h ? v + l + h : (raised > h ? h : raised);
}
)"},
    {"sum_run", R"(static double sum_run(const real *x, long stride, long n) {
    double total = 0;
    long i, lane, from;
    if (stride != 1 || n < 32) {
        for (i = 0; i < n; ++i) total += (double)x[i * stride];
        return total;
    }
    for (from = 0; from < n; from += 4096) {
        const long some = n - from < 4096 ? n - from : 4096;
        real parts[32] = {0};
        for (i = 0; i + 32 <= some; i += 32)
            for (lane = 0; lane < 32; ++lane) parts[lane] += x[from + i + lane];
        for (lane = 0; i < some; ++i, ++lane) parts[lane] += x[from + i];
        for (lane = 0; lane < 32; ++lane) total += (double)parts[lane];
    }
    return total;
}
)"},
    {"dots", R"(/* c[i][j] = bias[j] + the sum over p of a[i][p] * b[j][p], in LANES sums that are added by halves. */
static void dots(const real *a, long a_row, const real *b, long b_k, long b_n, const real *bias, long m, long n, long k,
                 real *c, long c_row) {
    const long whole = k / LANES * LANES;
    long i, j, p, q;
    for (i = 0; i < m; ++i)
        for (j = 0; j < n; ++j) {
            const real *x = a + i * a_row;
            const real *y = b + j * b_n;
            real l[LANES] = {0};
            real total;
            if (b_k == 1)
                for (p = 0; p < whole; p += LANES)
                    for (q = 0; q < LANES; ++q) l[q] = MADD(x[p + q], y[p + q], l[q]);
            else
                for (p = 0; p < whole; p += LANES)
                    for (q = 0; q < LANES; ++q) l[q] = MADD(x[p + q], y[(p + q) * b_k], l[q]);
            for (q = LANES / 2; q > 0; q /= 2)
                for (p = 0; p < q; ++p) l[p] += l[p + q];
            total = l[0] + (bias == 0 ? 0 : bias[j]);
            for (p = whole; p < k; ++p) total = MADD(x[p], y[p * b_k], total);
            c[i * c_row + j] = total;
        }
}
)"},
    {"chains", R"(/* The same with one sum in the order of p, which begins with the bias. */
static void chains(const real *a, long a_row, long a_k, const real *b, long b_k, long b_n, const real *bias, long m,
                   long n, long k, real *c, long c_row) {
    long i, j, p;
    for (i = 0; i < m; ++i) {
        real *to = c + i * c_row;
        for (j = 0; j < n; ++j) to[j] = bias == 0 ? 0 : bias[j];
        if (b_n == 1)
            for (p = 0; p < k; ++p) {
                const real x = a[i * a_row + p * a_k];
                const real *y = b + p * b_k;
                for (j = 0; j < n; ++j) to[j] = MADD(x, y[j], to[j]);
            }
        else
            for (j = 0; j < n; ++j) {
                real total = to[j];
                for (p = 0; p < k; ++p) total = MADD(a[i * a_row + p * a_k], b[p * b_k + j * b_n], total);
                to[j] = total;
            }
    }
}
)"},
    {"panels",
     R"(/* Products with constant right sides, which are laid out in panels of 32 columns and then of 8, filled up with zeros:
 * the bias, then the rows of the right side in the order in which they are added. Results are computed side by side,
 * each by `whole` numbers in LANES sums that are added by halves, and then by the others in their order. */
#define PANEL(COLUMNS)                                                                                              \
    static void panel_##COLUMNS(const real *x, long step, const real *w, long k, long whole, real *to) {            \
        const real *bias = w;                                                                                       \
        real sum[COLUMNS];                                                                                          \
        long half, j, p, q;                                                                                         \
        w += COLUMNS;                                                                                               \
        for (j = 0; j < COLUMNS; ++j) sum[j] = bias[j];                                                             \
        if (whole > 0) {                                                                                            \
            real sums[LANES][COLUMNS];                                                                              \
            for (q = 0; q < LANES; ++q) {                                                                           \
                for (j = 0; j < COLUMNS; ++j) sum[j] = 0;                                                           \
                for (p = q; p < whole; p += LANES, w += COLUMNS)                                                    \
                    for (j = 0; j < COLUMNS; ++j) sum[j] = MADD(x[p], w[j], sum[j]);                                \
                for (j = 0; j < COLUMNS; ++j) sums[q][j] = sum[j];                                                  \
            }                                                                                                       \
            for (half = LANES / 2; half > 0; half /= 2)                                                             \
                for (q = 0; q < half; ++q)                                                                          \
                    for (j = 0; j < COLUMNS; ++j) sums[q][j] += sums[q + half][j];                                  \
            for (j = 0; j < COLUMNS; ++j) sum[j] = sums[0][j] + bias[j];                                            \
        }                                                                                                           \
        for (p = whole; p < k; ++p, w += COLUMNS)                                                                   \
            for (j = 0; j < COLUMNS; ++j) sum[j] = MADD(x[p * step], w[j], sum[j]);                                 \
        for (j = 0; j < COLUMNS; ++j) to[j] = sum[j];                                                               \
    }
PANEL(32)
PANEL(8)

static void panels(const real *a, long a_row, long a_k, const real *w, long m, long n, long k, long whole, real *c,
                   long c_row) {
    long i, j, left;
    for (i = 0; i < m; ++i) {
        const real *x = a + i * a_row;
        const real *panel = w;
        real *to = c + i * c_row;
        for (j = 0; j + 32 <= n; j += 32, panel += 32 * (k + 1)) panel_32(x, a_k, panel, k, whole, to + j);
        for (; j + 8 <= n; j += 8, panel += 8 * (k + 1)) panel_8(x, a_k, panel, k, whole, to + j);
        if (j < n) {
            real some[8];
            panel_8(x, a_k, panel, k, whole, some);
            for (left = 0; j < n; ++j, ++left) to[j] = some[left];
        }
    }
}
)"},
    {"erf_by", R"(static inline real erf_by(real x, const real *above, const real *below, int last, real one) {
    const real size = x < 0 ? -x : x;
    const real limited = size > one ? one : size;
    const real u = limited * limited;
    real p = above[last], q = below[last], result;
    int i;
    for (i = last; i > 0; --i) {
        p = p * u + above[i - 1];
        q = q * u + below[i - 1];
    }
    result = limited * (p / q);
    result = result > 1 ? 1 : result;
    return x < 0 ? -result : (x == 0 ? x : result);
}
)"},
});

constexpr auto kFloat = std::to_array<Function>({
    {"tanh_of", R"(static inline real tanh_of(real x) {
    union { float f; uint32_t u; } s, power, in, out;
    float y, n, r, series, t;
    in.f = x;
    out.u = in.u & 0x7fffffffu;
    y = 2 * out.f;
    y = y > 18.4f ? 18.4f : y;
    s.f = MADD(y, 1.4426950408889634f, 0x1.8p23f);
    n = s.f - 0x1.8p23f;
    r = MADD(n, -0x1.7f7d1cp-20f, MADD(n, -0x1.62e4p-1f, y));
    power.u = (s.u << 23) + 0x3F800000u;
    series = (float)(1.0 / 5040);
    series = MADD(series, r, (float)(1.0 / 720));
    series = MADD(series, r, (float)(1.0 / 120));
    series = MADD(series, r, (float)(1.0 / 24));
    series = MADD(series, r, (float)(1.0 / 6));
    series = MADD(series, r, 0.5f);
    t = MADD(power.f, MADD(r * r, series, r), power.f - 1);
    out.f = t / (t + 2);
    out.u = (out.u & 0x7fffffffu) | (in.u & 0x80000000u);
    return out.f;
}
)"},
    {"exp_of", R"(static inline real exp_of(real x) {
    union { float f; int32_t i; } a, b;
    const float clamped = x > 88.8f ? 88.8f : (x < -104.0f ? -104.0f : x);
    const float n = (clamped * 1.44269504088896341f + 0x1.8p23f) - 0x1.8p23f;
    const float r = MADD(n, 2.12194440e-4f, MADD(n, -0.693359375f, clamped));
    int32_t whole, half;
    float p = 1.9875691500e-4f, e;
    if (x != x) return x;
    p = MADD(p, r, 1.3981999507e-3f);
    p = MADD(p, r, 8.3334519073e-3f);
    p = MADD(p, r, 4.1665795894e-2f);
    p = MADD(p, r, 1.6666665459e-1f);
    p = MADD(p, r, 5.0000001201e-1f);
    e = MADD(p, r * r, r) + 1.0f;
    whole = (int32_t)n;
    half = whole >= 0 ? whole / 2 : -((1 - whole) / 2);
    a.i = (half + 127) * (1 << 23);
    b.i = (whole - half + 127) * (1 << 23);
    return e * a.f * b.f;
}
)"},
    {"log_of", R"(static inline real log_of(real x) {
    union { float f; int32_t i; } bits, m;
    const float tiny = x < 1.17549435e-38f ? 1.0f : 0.0f;
    int32_t shifted, exponent;
    float e, t, p, z, y;
    if (!(x >= 0.0f)) return NAN;
    if (x == 0.0f) return -INFINITY;
    if (x == INFINITY) return x;
    bits.f = x * MADD(tiny, 8388607.0f, 1.0f);
    shifted = bits.i - 0x3f3504f3;
    exponent = shifted >= 0 ? shifted / 8388608 : -((8388607 - shifted) / 8388608);
    m.i = (shifted - exponent * 8388608) + 0x3f3504f3;
    e = MADD(tiny, -23.0f, (float)exponent);
    t = m.f - 1.0f;
    p = 7.0376836292e-2f;
    p = MADD(p, t, -1.1514610310e-1f);
    p = MADD(p, t, 1.1676998740e-1f);
    p = MADD(p, t, -1.2420140846e-1f);
    p = MADD(p, t, 1.4249322787e-1f);
    p = MADD(p, t, -1.6668057665e-1f);
    p = MADD(p, t, 2.0000714765e-1f);
    p = MADD(p, t, -2.4999993993e-1f);
    p = MADD(p, t, 3.3333331174e-1f);
    z = t * t;
    y = MADD(e, -2.12194440e-4f, t * z * p);
    y = MADD(z, -0.5f, y);
    return MADD(e, 0.693359375f, t + y);
}
)"},
    {"erf_of", R"(static inline real erf_of(real x) {
    static const real above[] = {0x1.20dd74p+0f, 0x1.86ba02p-3f, 0x1.b07562p-5f, 0x1.ef674ep-9f, 0x1.2aa486p-12f,
        0x1.1210eap-19f};
    static const real below[] = {1, 0x1.013c06p-1f, 0x1.d3fff2p-4f, 0x1.eb6ff6p-7f, 0x1.317448p-10f, 0x1.3ecc9cp-15f};
    const real one = 0x1.f5a89p+1f;
    return erf_by(x, above, below, 5, one);
}
)"},
    {"log1p_of", R"(static inline real log1p_of(real x) {
    const float u = 1.0f + x;
    const float lost = (x - (u - 1.0f)) / u;
    return log_of(u) + (u > 0.0f && u < INFINITY ? lost : 0.0f);
}
)"},
});

constexpr auto kDouble = std::to_array<Function>({
    {"erf_of", R"(static inline real erf_of(real x) {
    static const real above[] = {0x1.20dd750429b6dp+0, 0x1.c399cedfe66c3p-3, 0x1.0f13400be1c47p-4,
        0x1.c4b549af67811p-8, 0x1.c1773a0956ebdp-11, 0x1.df64859afbf93p-15, 0x1.067ac48ef4abcp-18,
        0x1.6d793e061375fp-23, 0x1.d1df7a17777aep-28, 0x1.7b8275cd6e7e4p-33, 0x1.d4fc36e3e5667p-39,
        0x1.8e47087780771p-46, 0x1.1e80c12488ca8p-56};
    static const real below[] = {1, 0x1.0eb8cc40cba9cp-1, 0x1.14479116ef8ffp-3, 0x1.68d4cf7d9790dp-6,
        0x1.50e8c05c64907p-9, 0x1.db7151d7866edp-13, 0x1.04d80138c5757p-16, 0x1.c1db88d1d2e77p-21,
        0x1.2f0fe6f92c1aap-25, 0x1.361c134f12399p-30, 0x1.c1569f0fe5254p-36, 0x1.740c8ce5a303dp-42,
        0x1.f95ec69bd6919p-51};
    const real one = 0x1.7afb48dc96627p+2;
    return erf_by(x, above, below, 12, one);
}
)"},
});

constexpr std::string_view kFloatBegin = R"(typedef float real;
#define LANES 16
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MADD(x, y, z) fmaf(x, y, z)
#else
#define MADD(x, y, z) ((x) * (y) + (z))
#endif
#define POW powf
#define SQRT sqrtf
#define FLOOR floorf
#define SIN sinf
#define COS cosf
#define ATAN2 atan2f
#define expm1_of expm1f
)";

constexpr std::string_view kDoubleBegin = R"(typedef double real;
#define LANES 8
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MADD(x, y, z) fma(x, y, z)
#else
#define MADD(x, y, z) ((x) * (y) + (z))
#endif
#define POW pow
#define SQRT sqrt
#define FLOOR floor
#define SIN sin
#define COS cos
#define ATAN2 atan2
#define tanh_of tanh
#define exp_of exp
#define log_of log
#define log1p_of log1p
#define expm1_of expm1
)";

}  // namespace

std::string c_functions(DType real, const std::string& code) {
    std::vector<const Function*> all;
    for (const Function& each : kShared) {
        all.push_back(&each);
    }
    for (const Function& each : real == DType::kF32 ? std::span<const Function>(kFloat) : kDouble) {
        all.push_back(&each);
    }
    std::string out;
    for (std::size_t i = all.size(); i > 0; --i) {
        const std::string call = std::string(all[i - 1]->name) + "(";
        if ((code + out).find(call) != std::string::npos) {
            out = std::string(all[i - 1]->text) + "\n" + out;
        }
    }
    return std::string(real == DType::kF32 ? kFloatBegin : kDoubleBegin) + "\n" + out;
}

}  // namespace tenon
