// SPDX-License-Identifier: Apache-2.0
// What a kernel's backward gives, and between which slopes of its forward that must lie: those below and above each
// element, which are two numbers where the function has a kink.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trust/sample.hpp"

namespace tenon {

struct Slope {
    double low = 0;
    double high = 0;
    [[nodiscard]] bool is_known() const { return low == low && high == high; }
};

// Of the sum of a kernel's outputs, each element with a weight of its own.
class Slopes {
public:
    // In float64 where the kernel computes in it.
    Slopes(const graph::Graph& graph, const FusedSample& sample);

    Result<Slope> at(std::size_t input, std::size_t element);

    // By backward in that dtype; nothing for inputs that are not wanted.
    [[nodiscard]] Result<std::vector<std::vector<double>>> gradients(DType real) const;

    // What a gradient may be off by that is computed in that dtype, beside slopes of that size.
    [[nodiscard]] double tolerance(DType real, double scale) const;

    // The weights of an output's elements: the same for everybody.
    static std::vector<double> weights(std::size_t output, std::size_t count);

private:
    Result<std::vector<std::vector<double>>> outputs();

    const graph::FusedKernel& kernel_;
    const FusedSample& sample_;
    Place place_;
    DType real_;
    std::vector<std::vector<double>> in_;
};

// Six digits.
std::string short_text(double value);

// Backward against the slopes at some elements of each input that a gradient is wanted of.
Status check_slopes(const graph::Graph& graph, const FusedSample& sample, DType real);

}  // namespace tenon
