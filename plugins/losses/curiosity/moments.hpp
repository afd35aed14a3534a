// SPDX-License-Identifier: Apache-2.0
// Running moments of a value, over all batches so far (Chan et al. 1979). They begin with a mean of 0, a variance of 1
// and a weight that a first batch outweighs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/build.hpp"

namespace curiosity {

using tenon::Graph;
using tenon::Value;

struct Moments {
    std::string name;
    std::vector<std::int64_t> sizes;  // of a row; empty for a number

    [[nodiscard]] Value mean(const Graph& g) const { return read(g, "mean", tenon::zeros()); }
    [[nodiscard]] Value deviation(const Graph& g) const { return sqrt(max(variance(g), 1e-8)); }

    // Adds the rows of x. Nothing else may update the same moments in the same update.
    void add(const Graph& g, Value x) const {
        const Value rows = count_rows(x);
        const Value mean_of_x = mean_rows(x);
        const Value variance_of_x = mean_rows(square(x - mean_of_x));
        const Value before = read_number(g), both = before + rows;
        const Value off = mean_of_x - mean(g);
        const Value squares = variance(g) * before + variance_of_x * rows + square(off) * (before * rows / both);
        g.set(key("mean").c_str(), stop_gradient(shaped(mean(g) + off * (rows / both))));
        g.set(key("variance").c_str(), stop_gradient(shaped(squares / both)));
        g.set(key("count").c_str(), unsqueeze(both));
    }

private:
    [[nodiscard]] Value variance(const Graph& g) const { return read(g, "variance", tenon::constant(1)); }
    [[nodiscard]] Value read_number(const Graph& g) const {
        return squeeze(g.state(key("count").c_str(), {1}, tenon::constant(1e-4)));
    }
    [[nodiscard]] Value read(const Graph& g, const char* what, tenon::Init init) const {
        return sizes.empty() ? squeeze(g.state(key(what).c_str(), {1}, init)) : g.state(key(what).c_str(), sizes, init);
    }
    [[nodiscard]] Value shaped(Value x) const { return sizes.empty() ? unsqueeze(x) : x; }
    [[nodiscard]] std::string key(const char* what) const { return name + "." + what; }
};

}  // namespace curiosity
