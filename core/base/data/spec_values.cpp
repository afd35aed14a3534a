// SPDX-License-Identifier: Apache-2.0
#include "base/data/spec_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/random/normal.hpp"

namespace tenon {
namespace {

// Converts the value to T, clamped to the range of T.
template <class T>
T saturate(double value) {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(value);
    } else {
        constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::lowest());
        constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
        if (value <= kLow) {
            return std::numeric_limits<T>::lowest();
        }
        return value >= kHigh ? std::numeric_limits<T>::max() : static_cast<T>(value);
    }
}

template <class T>
struct Interval {
    T low;
    T high;
};

// Clamps the elements to the bounds; for integers, the bounds are rounded inwards.
template <class T>
Interval<T> interval(const Spec& spec, std::size_t element) {
    const double low = spec.low_of(element);
    const double high = spec.high_of(element);
    if constexpr (std::is_floating_point_v<T>) {
        return {static_cast<T>(low), static_cast<T>(high)};
    } else {
        return {saturate<T>(std::ceil(low)), saturate<T>(std::floor(high))};
    }
}

// The random numbers of one element: block `counter` of the stream, or the normal number of the same block.
struct Draw {
    tn_key key;
    std::uint64_t counter;

    [[nodiscard]] std::uint64_t bits() const {
        const tn_random_block block = tn_philox(key, counter);
        return (std::uint64_t{block.word[0]} << 32) | block.word[1];
    }
    [[nodiscard]] double uniform() const {
        const tn_random_block block = tn_philox(key, counter);
        return tn_uniform(block.word[0], block.word[1]);
    }
    [[nodiscard]] double normal() const {
        double x = 0;
        fill_normal(key, 2 * counter, &x, 1);
        return x;
    }
};

// Integers low .. high, both included; 64 bits of arithmetic support the whole range of int64.
template <class T>
T draw_whole(Interval<T> range, std::uint64_t bits) {
    const std::uint64_t span = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1;
    const std::uint64_t offset =
        span == 0 ? bits
                  : static_cast<std::uint64_t>((static_cast<double>(bits >> 11) * 0x1p-53) * static_cast<double>(span));
    return static_cast<T>(static_cast<std::uint64_t>(range.low) + (span == 0 ? offset : std::min(offset, span - 1)));
}

template <class T>
T draw_between(const Spec& spec, std::size_t element, const Draw& from) {
    const Interval<T> range = interval<T>(spec, element);
    if constexpr (!std::is_floating_point_v<T>) {
        return draw_whole(range, from.bits());
    } else {
        const double low = static_cast<double>(range.low);
        const double high = static_cast<double>(range.high);
        const double u = from.uniform();
        double x = low + u * (high - low);
        if (std::isinf(low) && std::isinf(high)) {
            x = from.normal();
        } else if (std::isinf(low)) {
            x = high + std::log1p(-u);
        } else if (std::isinf(high)) {
            x = low - std::log1p(-u);
        } else if (std::isinf(high - low)) {
            x = u < 0.5 ? low * (1.0 - 2.0 * u) : high * (2.0 * u - 1.0);
        }
        return std::clamp(static_cast<T>(x), range.low, range.high);
    }
}

template <class T>
T draw_any(const Draw& from, DType dtype) {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(from.normal());
    } else {
        return static_cast<T>(from.bits() & (dtype == DType::kBool ? 1U : ~std::uint64_t{0}));
    }
}

std::int64_t categories_of(const Spec& spec, std::size_t element) {
    return spec.categories[spec.categories.size() == 1 ? 0 : element % spec.categories.size()];
}

template <class T>
T draw_element(const Spec& spec, std::size_t element, const Draw& from) {
    switch (spec.kind) {
        case SpecKind::kBounded:
            return draw_between<T>(spec, element, from);
        case SpecKind::kBinary:
            return static_cast<T>(from.bits() & 1U);
        case SpecKind::kCategorical:
        case SpecKind::kMultiCategorical: {
            const std::int64_t n = categories_of(spec, element);
            return static_cast<T>(draw_whole<std::int64_t>({0, n - 1}, from.bits()));
        }
        case SpecKind::kOneHot:
        case SpecKind::kUnbounded:
            break;
    }
    return draw_any<T>(from, spec.dtype);
}

std::size_t elements_of(const Spec& spec) {
    return static_cast<std::size_t>(spec.shape.elements());
}

// Sets the largest of each group of `n` elements to 1 and the others to 0.
template <class T>
void make_one_hot(T* row, std::size_t elements, std::size_t n) {
    for (std::size_t first = 0; first < elements; first += n) {
        T* const group = row + first;
        T* const largest = std::max_element(group, group + n);
        std::fill(group, group + n, T{});
        *largest = T{1};
    }
}

template <class T>
bool is_one_hot(const T* row, std::size_t elements, std::size_t n) {
    for (std::size_t first = 0; first < elements; first += n) {
        const T* const group = row + first;
        if (std::count(group, group + n, T{1}) != 1 ||
            std::count(group, group + n, T{}) != static_cast<std::ptrdiff_t>(n - 1)) {
            return false;
        }
    }
    return true;
}

template <class T>
T project_element(const Spec& spec, std::size_t element, T value) {
    switch (spec.kind) {
        case SpecKind::kBounded: {
            const Interval<T> range = interval<T>(spec, element);
            return value < range.low ? range.low : (value > range.high ? range.high : value);
        }
        case SpecKind::kBinary:
            return static_cast<double>(value) >= 0.5 ? T{1} : T{0};
        case SpecKind::kCategorical:
        case SpecKind::kMultiCategorical:
            return static_cast<T>(
                std::clamp<std::int64_t>(static_cast<std::int64_t>(value), 0, categories_of(spec, element) - 1));
        case SpecKind::kOneHot:
        case SpecKind::kUnbounded:
            break;
    }
    return spec.dtype == DType::kBool && value != T{} ? T{1} : value;
}

template <class T>
bool contains_element(const Spec& spec, std::size_t element, T value) {
    switch (spec.kind) {
        case SpecKind::kBounded: {
            const Interval<T> range = interval<T>(spec, element);
            return value >= range.low && value <= range.high;
        }
        case SpecKind::kBinary:
            return value == T{} || value == T{1};
        case SpecKind::kCategorical:
        case SpecKind::kMultiCategorical: {
            const auto index = static_cast<std::int64_t>(value);
            return index >= 0 && index < categories_of(spec, element);
        }
        case SpecKind::kOneHot:
        case SpecKind::kUnbounded:
            break;
    }
    return spec.dtype != DType::kBool || value == T{} || value == T{1};
}

}  // namespace

void draw(const Spec& spec, tn_key key, std::uint64_t counter, void* row) {
    with_element(spec.dtype, [&](auto zero_element) {
        using T = decltype(zero_element);
        T* const out = static_cast<T*>(row);
        const std::size_t elements = elements_of(spec);
        if (spec.kind == SpecKind::kOneHot) {
            const auto n = static_cast<std::size_t>(spec.categories[0]);
            std::fill(out, out + elements, T{});
            for (std::size_t first = 0; first < elements; first += n) {
                const std::uint64_t bits = Draw{key, counter + first}.bits();
                out[first + static_cast<std::size_t>(draw_whole<std::int64_t>({0, spec.categories[0] - 1}, bits))] =
                    T{1};
            }
            return;
        }
        for (std::size_t i = 0; i < elements; ++i) {
            out[i] = draw_element<T>(spec, i, Draw{key, counter + i});
        }
    });
}

void project(const Spec& spec, void* row) {
    with_element(spec.dtype, [&](auto zero_element) {
        using T = decltype(zero_element);
        T* const out = static_cast<T*>(row);
        const std::size_t elements = elements_of(spec);
        if constexpr (std::is_floating_point_v<T>) {
            std::replace_if(out, out + elements, [](T x) { return std::isnan(x); }, T{});
        }
        if (spec.kind == SpecKind::kOneHot) {
            make_one_hot(out, elements, static_cast<std::size_t>(spec.categories[0]));
            return;
        }
        for (std::size_t i = 0; i < elements; ++i) {
            out[i] = project_element<T>(spec, i, out[i]);
        }
    });
}

bool contains(const Spec& spec, const void* row) {
    return with_element(spec.dtype, [&](auto zero_element) {
        using T = decltype(zero_element);
        const T* const in = static_cast<const T*>(row);
        const std::size_t elements = elements_of(spec);
        if (spec.kind == SpecKind::kOneHot) {
            return is_one_hot(in, elements, static_cast<std::size_t>(spec.categories[0]));
        }
        for (std::size_t i = 0; i < elements; ++i) {
            if (!contains_element<T>(spec, i, in[i])) {
                return false;
            }
        }
        return true;
    });
}

void zero(const Spec& spec, void* row) {
    std::memset(row, 0, elements_of(spec) * size_of(spec.dtype));
    project(spec, row);
}

}  // namespace tenon
