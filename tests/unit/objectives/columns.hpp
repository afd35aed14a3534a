// SPDX-License-Identifier: Apache-2.0
// Batches for tests: columns of given specs, filled at random from a seed, in memory as programs read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/program.hpp"
#include "compute/graph/context.hpp"

namespace tenon::test {

graph::Column real_column(std::string key, Shape shape = {}, DType dtype = DType::kF64);
graph::Column bounded_column(std::string key, std::vector<double> low, std::vector<double> high,
                             DType dtype = DType::kF64);
graph::Column categorical_column(std::string key, std::int64_t categories);
graph::Column one_hot_column(std::string key, std::int64_t categories, DType dtype = DType::kBool);
graph::Column multi_categorical_column(std::string key, std::vector<std::int64_t> categories);
graph::Column flag_column(std::string key, Shape shape = {});
// Several steps of a column, as replay/windows gathers them: window.KEY.
graph::Column window_column(graph::Column of, std::int64_t places);

class FilledBatch {
public:
    // Unbounded columns are standard normal, bounded ones uniform within their bounds, choices even, flags true three
    // times in ten.
    FilledBatch(const std::vector<graph::Column>& columns, Sizes sizes, std::uint64_t seed);

    [[nodiscard]] const Sizes& sizes() const { return sizes_; }
    [[nodiscard]] std::size_t rows() const { return rows_; }

    // All numbers of a column, row after row; of [T, L] rows time comes first.
    [[nodiscard]] const std::vector<double>& operator[](std::string_view key) const { return find(key).values; }
    // One row of a column that has sizes.
    [[nodiscard]] std::vector<double> row(std::string_view key, std::size_t row) const;
    void set(std::string_view key, std::vector<double> values);

    [[nodiscard]] const void* data(std::string_view key) const { return find(key).bytes.data(); }

private:
    struct Memory {
        std::string key;
        DType dtype = DType::kF64;
        std::size_t width = 1;
        std::vector<double> values;  // as the memory holds them: float32 columns are rounded
        std::vector<std::byte> bytes;
    };

    [[nodiscard]] const Memory& find(std::string_view key) const;

    Sizes sizes_;
    std::size_t rows_;
    std::vector<Memory> memory_;
};

}  // namespace tenon::test
