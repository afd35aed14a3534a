// SPDX-License-Identifier: Apache-2.0
// Counts of values in bins of equal width between two bounds, and how many are below and above. Values that are not
// finite are not counted.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/guard.hpp"
#include "tenon/hook_call.hpp"

class Bins {
public:
    // The metrics of a hook: below/LOW, bin/0, bin/1, ..., above/HIGH. By these names the host knows a histogram.
    static std::vector<std::string> metrics(std::int64_t bins, double low, double high) {
        if (low >= high) {
            throw tenon::InvalidArgument("low must be less than high");
        }
        std::vector<std::string> out = {"below/" + text_of(low)};
        for (std::int64_t i = 0; i < bins; ++i) {
            out.push_back("bin/" + std::to_string(i));
        }
        out.push_back("above/" + text_of(high));
        return out;
    }

    void begin(std::int64_t bins, double low, double high) {
        counts_.assign(static_cast<std::size_t>(bins) + 2, 0);
        low_ = low;
        width_ = (high - low) / static_cast<double>(bins);
    }

    // The upper bound belongs to the last bin, as in numpy.histogram.
    void add(double value) {
        const auto bins = counts_.size() - 2;
        const double place = (value - low_) / width_;
        if (place < 0) {
            ++counts_.front();
        } else if (place > static_cast<double>(bins)) {
            ++counts_.back();
        } else if (std::isfinite(place)) {
            ++counts_[1 + std::min(static_cast<std::size_t>(place), bins - 1)];
        }
    }

    void report(const tenon::HookCall& run) const {
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            run.report(i, static_cast<double>(counts_[i]));
        }
    }

private:
    // The shortest digits. Names of metrics have no '+', which an exponent may have.
    static std::string text_of(double bound) {
        std::array<char, 32> text{};
        std::string out(text.data(), std::to_chars(text.data(), text.data() + text.size(), bound).ptr);
        std::erase(out, '+');
        return out;
    }

    std::vector<std::uint64_t> counts_;
    double low_ = 0;
    double width_ = 1;
};
