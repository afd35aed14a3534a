// SPDX-License-Identifier: Apache-2.0
// A kernel's gradients by backward, and the one-sided slopes of its forward, between which they must be: the slopes
// below and above each element differ if the function has a kink at it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engines/trust/sample.hpp"

namespace tenon {

struct Slope {
    double low = 0;
    double high = 0;
    [[nodiscard]] bool is_known() const { return low == low && high == high; }
};

// The slopes of the weighted sum of a kernel's outputs.
class Slopes {
public:
    // Uses float64 if the kernel supports it.
    Slopes(const graph::Graph& graph, const FusedSample& sample);

    Result<Slope> at(std::size_t input, std::size_t element);

    // The gradients by backward in that dtype; nothing for inputs whose gradient is not wanted.
    [[nodiscard]] Result<std::vector<std::vector<double>>> gradients(DType real) const;

    // The tolerated error of a gradient in that dtype, for slopes of this magnitude.
    [[nodiscard]] double tolerance(DType real, double scale) const;

    // The weights of an output's elements, the same for all uses.
    static std::vector<double> weights(std::size_t output, std::size_t count);

private:
    Result<std::vector<std::vector<double>>> outputs();

    const graph::FusedKernel& kernel_;
    const FusedSample& sample_;
    Place place_;
    DType real_;
    std::vector<std::vector<double>> in_;
};

// The number with six digits.
std::string short_text(double value);

// Compares backward with the slopes at some elements of each input that needs a gradient.
Status check_slopes(const graph::Graph& graph, const FusedSample& sample, DType real);

}  // namespace tenon
