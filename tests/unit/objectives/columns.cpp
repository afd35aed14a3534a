// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "support/catch.hpp"

namespace tenon::test {
namespace {

graph::Column column(std::string key, SpecKind kind, DType dtype, Shape shape) {
    Spec spec;
    spec.key = std::move(key);
    spec.kind = kind;
    spec.dtype = dtype;
    spec.shape = shape;
    return {std::move(spec), "test"};
}

std::vector<double> random_values(const Spec& spec, std::size_t count, std::uint64_t seed) {
    const tn_key key = make_key(seed, "column/" + spec.key);
    std::vector<double> values(count);
    if (spec.kind == SpecKind::kUnbounded) {
        fill_normal(key, 0, values.data(), count);
        return values;
    }
    const auto width = static_cast<std::size_t>(spec.shape.elements());
    for (std::size_t i = 0; i < count; ++i) {
        const tn_random_block block = tn_philox(key, i);
        const double u = tn_uniform(block.word[0], block.word[1]);
        switch (spec.kind) {
            case SpecKind::kBounded:
                values[i] = spec.low_of(i % width) + u * (spec.high_of(i % width) - spec.low_of(i % width));
                break;
            case SpecKind::kCategorical:
            case SpecKind::kMultiCategorical:
                values[i] =
                    tn_below(block.word[2], static_cast<std::uint32_t>(spec.categories[i % spec.categories.size()]));
                break;
            case SpecKind::kOneHot: {
                const std::uint32_t which =
                    tn_below(tn_philox(key, i / width).word[2], static_cast<std::uint32_t>(width));
                values[i] = which == i % width ? 1 : 0;
                break;
            }
            default:
                values[i] = u < 0.3 ? 1 : 0;
        }
    }
    return values;
}

template <class T>
void encode(std::vector<double>& values, std::vector<std::byte>& bytes) {
    bytes.resize(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
        values[i] = static_cast<double>(value);
    }
}

void encode(DType dtype, std::vector<double>& values, std::vector<std::byte>& bytes) {
    switch (dtype) {
        case DType::kF64:
            return encode<double>(values, bytes);
        case DType::kF32:
            return encode<float>(values, bytes);
        case DType::kI64:
            return encode<std::int64_t>(values, bytes);
        default:
            return encode<std::uint8_t>(values, bytes);
    }
}

// Dimensions that a program does not have are 0 in its sizes.
std::size_t count_rows(const Sizes& sizes) {
    std::int64_t rows = 1;
    for (const std::int64_t size : {sizes.rows, sizes.time, sizes.lanes}) {
        rows *= size == 0 ? 1 : size;
    }
    return static_cast<std::size_t>(rows);
}

}  // namespace

graph::Column real_column(std::string key, Shape shape, DType dtype) {
    return column(std::move(key), SpecKind::kUnbounded, dtype, shape);
}

graph::Column bounded_column(std::string key, std::vector<double> low, std::vector<double> high, DType dtype) {
    graph::Column out = column(std::move(key), SpecKind::kBounded, dtype, Shape{static_cast<std::int64_t>(low.size())});
    out.spec.low = std::move(low);
    out.spec.high = std::move(high);
    return out;
}

graph::Column categorical_column(std::string key, std::int64_t categories) {
    graph::Column out = column(std::move(key), SpecKind::kCategorical, DType::kI64, {});
    out.spec.categories = {categories};
    return out;
}

graph::Column one_hot_column(std::string key, std::int64_t categories, DType dtype) {
    graph::Column out = column(std::move(key), SpecKind::kOneHot, dtype, Shape{categories});
    out.spec.categories = {categories};
    return out;
}

graph::Column multi_categorical_column(std::string key, std::vector<std::int64_t> categories) {
    graph::Column out = column(std::move(key), SpecKind::kMultiCategorical, DType::kI64,
                               Shape{static_cast<std::int64_t>(categories.size())});
    out.spec.categories = std::move(categories);
    return out;
}

graph::Column flag_column(std::string key, Shape shape) {
    return column(std::move(key), SpecKind::kBinary, DType::kBool, shape);
}

graph::Column window_column(graph::Column of, std::int64_t places) {
    of.made_of = of.spec.key;
    of.spec.key = "window." + of.spec.key;
    of.spec.shape = join(Shape{places}, of.spec.shape);
    of.agents_at = 1;
    return of;
}

FilledBatch::FilledBatch(const std::vector<graph::Column>& columns, Sizes sizes, std::uint64_t seed)
    : sizes_(sizes), rows_(count_rows(sizes)) {
    for (const graph::Column& each : columns) {
        const Spec& spec = each.spec;
        const auto width = static_cast<std::size_t>(spec.shape.elements());
        memory_.push_back({spec.key, spec.dtype, width, {}, {}});
        set(spec.key, random_values(spec, rows_ * width, seed));
    }
}

std::vector<double> FilledBatch::row(std::string_view key, std::size_t row) const {
    const Memory& memory = find(key);
    const auto first = memory.values.begin() + static_cast<std::ptrdiff_t>(row * memory.width);
    return {first, first + static_cast<std::ptrdiff_t>(memory.width)};
}

void FilledBatch::set(std::string_view key, std::vector<double> values) {
    auto& memory = const_cast<Memory&>(find(key));
    REQUIRE(values.size() == rows_ * memory.width);
    memory.values = std::move(values);
    encode(memory.dtype, memory.values, memory.bytes);
}

const FilledBatch::Memory& FilledBatch::find(std::string_view key) const {
    const auto found = std::ranges::find(memory_, key, &Memory::key);
    INFO("column " << key);
    REQUIRE(found != memory_.end());
    return *found;
}

}  // namespace tenon::test
