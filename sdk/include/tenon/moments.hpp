// SPDX-License-Identifier: Apache-2.0
// Running moments of a value, over all batches so far (Chan et al. 1979). They are states of the component: a mean that
// begins as 0, a variance that begins as 1, and a count of rows, so small at first that the first batch outweighs both.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Moments {
    std::string name;
    std::int64_t width = 0;  // of a row; 0: the value is a number

    [[nodiscard]] Value mean(const Graph& g) const { return read(g, "mean", width, zeros()); }
    [[nodiscard]] Value deviation(const Graph& g) const { return sqrt(max(variance(g), 1e-8)); }

    // Adds the rows of x, once in an update. Readers of the same update see the moments of its start.
    void add(const Graph& g, Value x) const {
        const Value rows = count_rows(x), before = read(g, "count", 1, constant(1e-4)), both = before + rows;
        const Value mean_of_x = mean_rows(x), variance_of_x = mean_rows(square(x - mean_of_x));
        const Value off = mean_of_x - mean(g);
        const Value squares = variance(g) * before + variance_of_x * rows + square(off) * (before * rows / both);
        write(g, "mean", mean(g) + off * (rows / both));
        write(g, "variance", squares / both);
        write(g, "count", both);
    }

private:
    [[nodiscard]] Value variance(const Graph& g) const { return read(g, "variance", width, constant(1)); }
    [[nodiscard]] Value read(const Graph& g, const char* what, std::int64_t size, Init init) const {
        const Value out = g.state((name + "." + what).c_str(), {width == 0 ? 1 : size}, init);
        return width == 0 ? squeeze(out) : out;
    }
    void write(const Graph& g, const char* what, Value x) const {
        g.set((name + "." + what).c_str(), stop_gradient(width == 0 ? unsqueeze(x) : x));
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
