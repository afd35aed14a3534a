// SPDX-License-Identifier: Apache-2.0
#include "commands/top/top_screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>

#include "base/error/listed.hpp"
#include "base/error/printable.hpp"
#include "folder/records/metric_names.hpp"
#include "shared/history/natural_order.hpp"

namespace tenon {
namespace {

constexpr std::size_t kSpark = 20;
constexpr std::size_t kDetails = 4;  // lines for the selected run

std::string text_of(const char* format, double value, const char* unit = "") {
    std::array<char, 48> out{};
    std::snprintf(out.data(), out.size(), format, value, unit);
    return out.data();
}

std::string brief(double value) {
    constexpr std::pair<double, const char*> kUnits[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (const auto& [unit, name] : kUnits) {
        if (std::abs(value) >= unit) {
            return text_of("%.3g%s", value / unit, name);
        }
    }
    return std::isfinite(value) ? text_of("%.4g", value) : "-";
}

std::string time_left(double seconds) {
    const auto whole = static_cast<long long>(std::lround(seconds));
    std::array<char, 32> out{};
    if (seconds <= 0) {
        return "-";
    }
    if (whole >= 172'800) {
        std::snprintf(out.data(), out.size(), "%lld days", whole / 86'400);
    } else {
        std::snprintf(out.data(), out.size(), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    }
    return out.data();
}

// The number of characters that a terminal draws, if each is one wide.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

// The text cut or filled to a width. Characters that a terminal would obey are replaced, because names of folders may
// have any.
std::string cell(std::string_view text, std::size_t width, bool right = false) {
    std::string out;
    std::size_t used = 0;
    for (const char c : printable(text)) {
        const auto byte = static_cast<unsigned char>(c);
        used += (byte & 0xc0U) == 0x80 ? 0 : 1;
        if (used > width) {
            break;
        }
        out += byte < 0x20 ? ' ' : c;  // a line end or a tab
    }
    const std::string fill(width - std::min(width, width_of(out)), ' ');
    return right ? fill + out : out + fill;
}

std::string coloured(const std::string& text, const char* code, const TopStyle& style) {
    return style.colour ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

const char* colour_of(const WatchedRun& run) {
    constexpr std::array<const char*, 4> kColours = {"32", "2", "33", "31"};
    return kColours[static_cast<std::size_t>(run.state)];
}

// The metric that best shows how good a run is: that of its evaluations, else the returns of its episodes, else its
// loss.
const RunCurves::Latest* score_of(const WatchedRun& run) {
    for (const std::string_view name : {std::string_view("eval/mean_reward"), metric::kEpisodeReturnMean}) {
        if (const RunCurves::Latest* found = run.curves.find(name)) {
            return found;
        }
    }
    const auto& all = run.curves.latest();
    const auto found = std::ranges::find_if(all, [](const RunCurves::Latest& each) {
        return each.metric.starts_with("eval/") && each.metric.ends_with(metric::kEvalReturnMean);
    });
    return found == all.end() ? run.curves.find("train/loss") : &*found;
}

std::string spark_of(const WatchedRun& run) {
    // Every record has returns of episodes, but few have those of evaluations.
    const RunCurves::Latest* score = run.curves.find(metric::kEpisodeReturnMean);
    score = score == nullptr ? score_of(run) : score;
    std::vector<float> values;
    if (score != nullptr) {
        for (const CurveBucket& each : run.curves.points(score->metric, CurveAxis::kFrames, kSpark).y) {
            values.push_back(each.mean);
        }
    }
    return sparkline(values);
}

std::string row_of(const WatchedRun& run, std::size_t name_width, bool selected, const TopStyle& style) {
    const double part = run.info.length > 0 ? run.position / static_cast<double>(run.info.length) : 0;
    const RunCurves::Latest* score = score_of(run);
    std::string out = selected ? "> " : "  ";
    out += cell(run.name, name_width) + " ";
    out += coloured(cell(run.problem.empty() ? name_of(run.state) : "damaged", 8), colour_of(run), style);
    out += cell(text_of("%.0f%%", std::floor(100 * std::min(part, 1.0))), 5, true) + cell(brief(run.position), 8, true);
    out += cell(run.per_second > 0 ? brief(run.per_second) + "/s" : "-", 9, true);
    out += cell(score == nullptr ? "-" : brief(score->value), 9, true) + "  " + cell(spark_of(run), kSpark);
    out += cell(time_left(run.seconds_left), 10, true);
    out += cell(run.memory > 0 ? brief(static_cast<double>(run.memory)) + "B" : "-", 8, true);
    return out;
}

bool is_of_shards(std::string_view name) {
    return name == metric::kExchange || name == metric::kWait || name == metric::kSlowest;
}

// What the shards of a run have waited since the latest record but one.
std::string shards_of(const WatchedRun& run) {
    const RunCurves::Latest* const exchange = run.curves.find(metric::kExchange);
    const RunCurves::Latest* const wait = run.curves.find(metric::kWait);
    const RunCurves::Latest* const slowest = run.curves.find(metric::kSlowest);
    if (exchange == nullptr || wait == nullptr || slowest == nullptr) {
        return {};
    }
    return "; shards: exchange " + brief(exchange->value) + " s, wait " + brief(wait->value) + " s, slowest " +
           brief(slowest->value);
}

// The shares of the time between the latest two records, largest first.
std::string time_split(const WatchedRun& run) {
    std::vector<std::pair<double, std::string>> parts;
    double sum = 0;
    for (const RunCurves::Latest& each : run.curves.latest()) {
        if (each.metric.starts_with(metric::kTime) && each.metric != metric::kSeconds &&
            each.metric != metric::kFramesPerSecond && !is_of_shards(each.metric) && each.value > 0) {
            parts.emplace_back(each.value, each.metric.substr(metric::kTime.size()));
            sum += each.value;
        }
    }
    std::ranges::sort(parts, std::greater());
    std::string out;
    for (const auto& [seconds, name] : parts) {
        if (seconds / sum >= 0.005) {
            out += "  " + name + " " + text_of("%.0f%%", 100 * seconds / sum);
        }
    }
    return out.empty() ? "  not measured; --profile measures it" : out;
}

std::string metrics_text(const WatchedRun& run) {
    std::string out;
    for (const RunCurves::Latest& each : run.curves.latest()) {
        if (!each.metric.starts_with(metric::kTime) && each.metric != metric::kFrames && !each.in_histogram) {
            out += "  " + each.metric.substr(each.metric.find('/') + 1) + " " + brief(each.value);
        }
    }
    return out;
}

}  // namespace

std::string sparkline(const std::vector<float>& values) {
    constexpr std::array<const char*, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::string out;
    float low = INFINITY;
    float high = -INFINITY;
    for (const float value : values) {
        low = std::isfinite(value) ? std::min(low, value) : low;
        high = std::isfinite(value) ? std::max(high, value) : high;
    }
    for (const float value : values) {
        const float part = high > low ? (value - low) / (high - low) : 0.5F;
        out += std::isfinite(value) ? kHeights[static_cast<std::size_t>(std::min(part * 8, 7.0F))] : " ";
    }
    return out;
}

std::vector<std::shared_ptr<const WatchedRun>> order_for_top(const RunsView& view) {
    std::vector<std::shared_ptr<const WatchedRun>> out = view.runs;
    std::ranges::sort(out, [](const auto& a, const auto& b) {
        const bool runs_a = a->state == RunState::kRunning;
        const bool runs_b = b->state == RunState::kRunning;
        if (runs_a != runs_b || (!runs_a && a->changed != b->changed)) {
            return runs_a != runs_b ? runs_a : a->changed > b->changed;
        }
        return natural_less(a->name, b->name);
    });
    return out;
}

std::string top_screen(const std::vector<std::shared_ptr<const WatchedRun>>& runs, std::size_t selected,
                       const TopStyle& style) {
    constexpr std::size_t kFixed = 82;  // all columns but the name
    std::size_t widest = 4;
    for (const auto& run : runs) {
        widest = std::max(widest, width_of(printable(run->name)));
    }
    const std::size_t names = std::clamp(widest, std::size_t{4}, std::max(style.columns, kFixed + 12) - kFixed);
    const auto running = std::ranges::count(runs, RunState::kRunning, [](const auto& run) { return run->state; });
    std::vector<std::string> lines = {counted(runs.size(), "run") + ", " + std::to_string(running) + " running", ""};
    lines.push_back("  " + cell("RUN", names) + " " + cell("STATE", 8) + cell("DONE", 5, true) + cell("AT", 8, true) +
                    cell("SPEED", 9, true) + cell("SCORE", 9, true) + "  " + cell("RETURN", kSpark) +
                    cell("LEFT", 10, true) + cell("MEMORY", 8, true));
    const std::size_t room = style.lines == 0 ? runs.size() : std::max<std::size_t>(style.lines, 12) - 5 - kDetails;
    const std::size_t first = selected < room ? 0 : selected - room + 1;
    for (std::size_t i = first; i < std::min(runs.size(), first + room); ++i) {
        lines.push_back(row_of(*runs[i], names, style.lines > 0 && i == selected, style));
    }
    if (style.lines > 0 && selected < runs.size()) {
        const WatchedRun& run = *runs[selected];
        lines.insert(lines.end(), {"", run.info.folder.string() + (run.problem.empty() ? "" : ": " + run.problem),
                                   "time:" + time_split(run) + shards_of(run), "latest:" + metrics_text(run)});
    }
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool has_codes = i >= 3 && style.colour;  // the codes must not be cut, so cells are cut instead
        out += has_codes && i < 3 + room ? lines[i] : cell(lines[i], style.columns);
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
    }
    return out;
}

}  // namespace tenon
