// SPDX-License-Identifier: Apache-2.0
// The parts of C++'s standard library that kernels use. NVRTC has no library; it reads this instead of every header of
// it.
#ifndef TENON_NVRTC_LIBRARY
#define TENON_NVRTC_LIBRARY

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;

#define INT32_MAX 0x7FFFFFFF
#define INT32_MIN (-0x7FFFFFFF - 1)
#define UINT32_MAX 0xFFFFFFFFU
#define INT64_MAX 0x7FFFFFFFFFFFFFFFL
#define INT64_MIN (-0x7FFFFFFFFFFFFFFFL - 1)
#define UINT64_MAX 0xFFFFFFFFFFFFFFFFUL
#define UINT64_C(x) x##UL
#define UINT32_C(x) x##U

namespace std {

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
using size_t = decltype(sizeof(0));
using ptrdiff_t = long;

using ::atan2;
using ::copysign;
using ::cos;
using ::erf;
using ::exp;
using ::fabs;
using ::floor;
using ::fma;
using ::log;
using ::pow;
using ::sin;
using ::sqrt;

template <class T>
constexpr const T& max(const T& a, const T& b) {
    return a < b ? b : a;
}

template <class T>
constexpr const T& min(const T& a, const T& b) {
    return b < a ? b : a;
}

template <class T, T kValue>
struct integral_constant {
    static constexpr T value = kValue;
    __device__ constexpr operator T() const { return kValue; }
};

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;

template <class A>
inline constexpr bool is_floating_point_v = is_same_v<A, float> || is_same_v<A, double>;

template <bool kFirst, class A, class B>
struct conditional {
    using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
    using type = B;
};
template <bool kFirst, class A, class B>
using conditional_t = typename conditional<kFirst, A, B>::type;

}  // namespace std

using std::size_t;

#define __builtin_rintf rintf
#define __builtin_inff() __int_as_float(0x7F800000)
#define __builtin_nanf(x) __int_as_float(0x7FFFFFFF)
#define __builtin_inf() __longlong_as_double(0x7FF0000000000000L)
#define __builtin_nan(x) __longlong_as_double(0x7FFFFFFFFFFFFFFFL)
#define __builtin_exp exp
#define __builtin_log log
#define __builtin_log1p log1p
#define __builtin_expm1 expm1
#define __builtin_fmaf fmaf
#define __builtin_fma fma
#define __builtin_copysignf copysignf
#define __builtin_copysign copysign

#endif
