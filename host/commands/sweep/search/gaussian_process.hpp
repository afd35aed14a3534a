// SPDX-License-Identifier: Apache-2.0
// A Gaussian process over a few hundred points: a squared-exponential kernel plus noise, whose width and noise are
// those of a small grid with the highest marginal likelihood.
#pragma once

#include <span>
#include <vector>

namespace tenon {

class GaussianProcess {
public:
    struct Prediction {
        double mean = 0;
        double deviation = 0;  // without the noise
    };

    // Points of equal length, and a finite value for each. At least one.
    GaussianProcess(std::vector<std::vector<double>> points, std::span<const double> values);

    [[nodiscard]] Prediction at(std::span<const double> point) const;

private:
    // The logarithm of the marginal likelihood, without constants; fills factor_ and weights_.
    double fit(double width, double noise);
    [[nodiscard]] double kernel(std::span<const double> a, std::span<const double> b) const;
    void solve_lower(std::vector<double>& b) const;
    void solve_upper(std::vector<double>& b) const;

    std::vector<std::vector<double>> points_;
    std::vector<double> values_;  // standardised
    std::vector<double> factor_;  // the lower triangle of Cholesky, by rows
    std::vector<double> weights_;
    double mean_ = 0;
    double scale_ = 1;
    double width_ = 1;
};

}  // namespace tenon
