// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/data/xml_text.hpp"

namespace tenon {
namespace {

constexpr double kWidth = 640;
constexpr double kPanel = 200;  // height of one panel with its title
constexpr double kLeft = 80;
constexpr double kRight = 16;
constexpr double kTop = 34;
constexpr double kInner = 140;

std::string printed(const char* format, double value) {
    std::array<char, 40> text{};
    const int size = std::snprintf(text.data(), text.size(), format, value);
    return {text.data(), static_cast<std::size_t>(std::clamp(size, 0, 39))};
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
    return "<text x=\"" + printed("%.1f", x) + "\" y=\"" + printed("%.1f", y) + "\" text-anchor=\"" + anchor + "\">" +
           xml_text(text) + "</text>\n";
}

std::string line_at(double y, const char* colour) {
    return "<line x1=\"" + printed("%.1f", kLeft) + "\" x2=\"" + printed("%.1f", kWidth - kRight) + "\" y1=\"" +
           printed("%.1f", y) + "\" y2=\"" + printed("%.1f", y) + "\" stroke=\"" + colour + "\"/>\n";
}

std::string panel(const std::vector<double>& values, const NumberStats& stats, const std::string& title, double top) {
    std::string out = text_at(kLeft, top + kTop - 12, "start", title);
    if (values.empty()) {
        return out + text_at(kLeft, top + kTop + 12, "start", "no whole episodes");
    }
    const double range = stats.max > stats.min ? stats.max - stats.min : 1;
    const auto height = [&](double value) { return top + kTop + kInner * (1 - (value - stats.min) / range); };
    const double step = (kWidth - kLeft - kRight) / static_cast<double>(std::max<std::size_t>(values.size() - 1, 1));
    out += line_at(height(stats.min), "#ccc") + line_at(height(stats.mean), "#d60");
    out += text_at(kLeft - 6, height(stats.min) + 4, "end", printed("%.4g", stats.min));
    if (stats.max > stats.min) {
        out += line_at(height(stats.max), "#ccc");
        out += text_at(kLeft - 6, height(stats.max) + 4, "end", printed("%.4g", stats.max));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        out += "<circle cx=\"" + printed("%.1f", kLeft + step * static_cast<double>(i)) + "\" cy=\"" +
               printed("%.1f", height(values[i])) + "\" r=\"2\"/>\n";
    }
    return out;
}

}  // namespace

std::string plot_episodes(const EpisodeSummary& episodes, const std::string& title) {
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + printed("%.0f", kWidth) + "\" height=\"" +
                      printed("%.0f", 2 * kPanel + 24) +
                      "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#234\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    out += text_at(kWidth / 2, 18, "middle", title);
    out += panel(episodes.returns, episodes.of_returns,
                 "return of each episode, mean " + printed("%.4g", episodes.of_returns.mean), 16);
    out += panel(episodes.lengths, episodes.of_lengths,
                 "length of each episode, mean " + printed("%.4g", episodes.of_lengths.mean), 16 + kPanel);
    return out + "</svg>\n";
}

}  // namespace tenon
