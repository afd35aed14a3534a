// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/search/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tenon {

GaussianProcess::GaussianProcess(std::vector<std::vector<double>> points, std::span<const double> values)
    : points_(std::move(points)), values_(values.begin(), values.end()) {
    const auto count = static_cast<double>(values_.size());
    for (const double value : values_) {
        mean_ += value / count;
    }
    double squares = 0;
    for (const double value : values_) {
        squares += (value - mean_) * (value - mean_) / count;
    }
    scale_ = squares > 0 ? std::sqrt(squares) : 1;
    for (double& value : values_) {
        value = (value - mean_) / scale_;
    }
    double best = -HUGE_VAL;
    std::pair<double, double> chosen;
    constexpr std::array kWidths = {0.1, 0.2, 0.4, 0.8, 1.6};
    constexpr std::array kNoises = {1e-4, 1e-2, 1e-1, 0.5};  // variances
    for (const double width : kWidths) {
        for (const double noise : kNoises) {
            if (const double likelihood = fit(width, noise); likelihood > best) {
                best = likelihood;
                chosen = {width, noise};
            }
        }
    }
    fit(chosen.first, chosen.second);
}

double GaussianProcess::kernel(std::span<const double> a, std::span<const double> b) const {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return std::exp(-0.5 * squares / (width_ * width_));
}

void GaussianProcess::solve_lower(std::vector<double>& b) const {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            b[i] -= factor_[(i * n) + k] * b[k];
        }
        b[i] /= factor_[(i * n) + i];
    }
}

void GaussianProcess::solve_upper(std::vector<double>& b) const {
    const std::size_t n = b.size();
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) {
            b[i] -= factor_[(k * n) + i] * b[k];
        }
        b[i] /= factor_[(i * n) + i];
    }
}

double GaussianProcess::fit(double width, double noise) {
    width_ = width;
    const std::size_t n = points_.size();
    factor_.assign(n * n, 0);
    double logs = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = kernel(points_[i], points_[j]) + (i == j ? noise : 0);
            for (std::size_t k = 0; k < j; ++k) {
                sum -= factor_[(i * n) + k] * factor_[(j * n) + k];
            }
            factor_[(i * n) + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / factor_[(j * n) + j];
        }
        logs += std::log(factor_[(i * n) + i]);
    }
    weights_ = values_;
    solve_lower(weights_);
    double squares = 0;
    for (const double weight : weights_) {
        squares += weight * weight;
    }
    solve_upper(weights_);
    return (-0.5 * squares) - logs;
}

GaussianProcess::Prediction GaussianProcess::at(std::span<const double> point) const {
    std::vector<double> near;
    double mean = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        near.push_back(kernel(points_[i], point));
        mean += near.back() * weights_[i];
    }
    solve_lower(near);
    double variance = 1;
    for (const double each : near) {
        variance -= each * each;
    }
    return {.mean = mean_ + (scale_ * mean), .deviation = scale_ * std::sqrt(std::max(variance, 1e-12))};
}

}  // namespace tenon
