// SPDX-License-Identifier: Apache-2.0
#include "shared/pictures/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace tenon {
namespace {

constexpr double kSlack = 1e-9;  // of a step, for bounds that are ticks themselves but for rounding

double count_of(double low, double high, double step) {
    return std::floor(high / step + kSlack) - std::ceil(low / step - kSlack) + 1;
}

}  // namespace

std::vector<double> ticks(double low, double high, std::size_t most) {
    std::vector<double> out;
    const double range = high - low;
    if (!(range > 0) || !std::isfinite(range) || most < 2) {
        return out;
    }
    double power = std::pow(10, std::floor(std::log10(range / static_cast<double>(most))));
    double step = power;
    for (int i = 0; count_of(low, high, step) > static_cast<double>(most); ++i) {
        constexpr std::array<double, 3> kSteps = {2, 5, 10};
        const double factor = kSteps[static_cast<std::size_t>(i % 3)];
        step = power * factor;
        power = factor == 10 ? step : power;
    }
    const double first = std::ceil(low / step - kSlack);
    const auto count = static_cast<std::size_t>(count_of(low, high, step));
    for (std::size_t i = 0; i < count; ++i) {
        const double multiple = first + static_cast<double>(i);
        out.push_back(multiple == 0 ? 0 : multiple * step);  // not -0
    }
    return out;
}

std::string tick_text(double value, double step) {
    constexpr std::array<std::pair<double, const char*>, 3> kUnits = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    const auto unit = std::ranges::find_if(
        kUnits, [&](const auto& each) { return std::abs(value) >= each.first && step >= each.first / 100; });
    const bool large = unit != kUnits.end() && (std::abs(value) >= 10'000 || step >= 1'000);
    const double scale = large ? unit->first : 1;
    const double shown = step / scale;
    const double digits = std::clamp(-std::floor(std::log10(shown) + kSlack), 0.0, 12.0);
    std::array<char, 64> text{};
    const int size = std::snprintf(text.data(), text.size(), "%.*f", static_cast<int>(digits), value / scale);
    std::string out(text.data(), static_cast<std::size_t>(std::clamp(size, 0, 63)));
    if (out.find('.') != std::string::npos) {
        out.erase(out.find_last_not_of('0') + 1);
        out.erase(out.find_last_not_of('.') + 1);
    }
    return large ? out + unit->second : out;
}

}  // namespace tenon
