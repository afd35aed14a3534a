// SPDX-License-Identifier: Apache-2.0
#include "commands/dash/prometheus.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace tenon {
namespace {

std::string label_value(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        c == '\n' ? out.append("\\n") : c == '"' || c == '\\' ? out.append({'\\', c}) : out.append(1, c);
    }
    return out + '"';
}

std::string number(double value) {
    if (!std::isfinite(value)) {
        return value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
    }
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

std::string runs_for_prometheus(const RunsView& view) {
    std::string out = "# HELP tenon_running Whether a process is writing the run.\n# TYPE tenon_running gauge\n";
    for (const auto& run : view.runs) {
        out +=
            "tenon_running{run=" + label_value(run->name) + "} " + (run->state == RunState::kRunning ? "1\n" : "0\n");
    }
    out += "# HELP tenon_metric The latest value of a metric of a run.\n# TYPE tenon_metric gauge\n";
    for (const auto& run : view.runs) {
        for (const RunCurves::Latest& each : run->curves.latest()) {
            out += "tenon_metric{run=" + label_value(run->name) + ",metric=" + label_value(each.metric) + "} " +
                   number(each.value) + "\n";
        }
    }
    return out;
}

}  // namespace tenon
