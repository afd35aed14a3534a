// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "base/error/listed.hpp"

namespace tenon::host {
namespace {

std::string printed(const char* format, double value) {
    std::array<char, 48> text{};
    const int size = std::snprintf(text.data(), text.size(), format, value);
    return {text.data(), static_cast<std::size_t>(std::clamp(size, 0, 47))};
}

}  // namespace

void print_rows(std::ostream& out, const std::vector<Row>& rows, std::string_view indent, std::string_view sides) {
    std::vector<std::size_t> width;
    for (const Row& row : rows) {
        width.resize(std::max(width.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            width[i] = std::max(width[i], row[i].size());
        }
    }
    for (const Row& row : rows) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (width[i] == 0) {
                continue;
            }
            const std::string blanks(width[i] - row[i].size(), ' ');
            const bool right = i < sides.size() && sides[i] == 'r';
            line += (right ? blanks + row[i] : row[i] + blanks) + "  ";
        }
        out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }
}

std::string number_text(double value) {
    constexpr double kWhole = 1e15;
    if (std::trunc(value) == value && std::abs(value) < kWhole) {
        return printed("%.0f", value);
    }
    return std::abs(value) >= 1000 && std::abs(value) < kWhole ? printed("%.1f", value) : printed("%.4g", value);
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (seconds < 10) {
        return printed("%.2f s", seconds);
    }
    if (seconds < 100) {
        return printed("%.1f s", seconds);
    }
    if (whole < 3600) {
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    }
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string mean_text(const Score& score) {
    return number_text(score.return_mean) + " +- " + number_text(score.return_std);
}

std::string score_text(const Score& score) {
    if (score.episodes == 0) {
        return "no episode has ended";
    }
    return "return " + mean_text(score) + " over " + counted(score.episodes, "episode") + " of " +
           number_text(score.length_mean) + " steps" +
           (score.cut_off == 0 ? "" : ", " + std::to_string(score.cut_off) + " of them cut off (eval.max_steps)");
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 4> kUnits = {" kB", " MB", " GB", " TB"};
    if (bytes < 1000) {
        return std::to_string(bytes) + " B";
    }
    double value = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) {
        value /= 1000;
    }
    return printed("%.3g", value) + kUnits[unit];
}

}  // namespace tenon::host
