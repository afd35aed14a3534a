// SPDX-License-Identifier: Apache-2.0
#include "commands/dash/runs_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>
#include <thread>

#include "base/json/write.hpp"
#include "commands/dash/run_files.hpp"
#include "shared/compare/group_naming.hpp"

namespace tenon {
namespace {

// Shortest digits of a float: half as long as those of the same value as a double.
template <class T>
void append_number(std::string& out, T value) {
    std::array<char, 32> text{};
    const auto end =
        std::isfinite(value) ? std::to_chars(text.data(), text.data() + text.size(), value).ptr : text.data();
    end == text.data() ? out.append("null") : out.append(text.data(), end);
}

template <class Range, class Of>
void append_list(std::string& out, const Range& range, Of of) {
    const char* comma = "[";
    for (const auto& each : range) {
        out += comma;
        append_number(out, of(each));
        comma = ",";
    }
    out += range.empty() ? "[]" : "]";
}

template <class Range, class Of>
void append_array(std::string& out, std::string_view key, const Range& range, Of of) {
    out.append(",\"").append(key).append("\":");
    append_list(out, range, of);
}

void append_curve(std::string& out, const WatchedRun& run, const CurvePoints& points) {
    out.append("{\"run\":\"").append(run.id).append("\"");
    append_array(out, "x", points.x, [](double x) { return x; });
    append_array(out, "y", points.y, [](const CurveBucket& y) { return y.mean; });
    const bool several =
        std::any_of(points.y.begin(), points.y.end(), [](const CurveBucket& y) { return y.low < y.high; });
    if (several) {
        append_array(out, "low", points.y, [](const CurveBucket& y) { return y.low; });
        append_array(out, "high", points.y, [](const CurveBucket& y) { return y.high; });
    }
    out += '}';
}

// The values of all runs for a key, in the order of runs, shortened as in names; empty for a run without the key.
std::vector<std::string> values_of(const RunsView& view, const std::string& key) {
    std::vector<std::string> out;
    for (const auto& run : view.runs) {
        const auto found = run->info.values.find(key);
        out.push_back(found == run->info.values.end() ? "" : found->second);
    }
    return short_values(out);
}

// `values`: for each differing key those of all runs; the run is the i-th.
void write_run(JsonWriter& json, const WatchedRun& run, const std::vector<std::vector<std::string>>& values,
               std::size_t i) {
    json.begin_object().key("id").text(run.id).key("name").text(run.name).key("group").text(run.group);
    json.key("folder").text(run.info.folder.string()).key("state").text(name_of(run.state));
    json.key("records").integer(static_cast<std::int64_t>(run.curves.records()));
    json.key("position").number(run.position).key("length").integer(run.info.length);
    json.key("unit").text(run.info.counts_updates ? "updates" : "frames");
    json.key("per_second").number(run.per_second).key("seconds_left").number(run.seconds_left);
    json.key("memory").integer(static_cast<std::int64_t>(run.memory)).key("changed").number(run.changed);
    json.key("problem").text(run.problem).key("values").begin_array();
    for (const std::vector<std::string>& of_key : values) {
        of_key[i].empty() ? json.null() : json.text(of_key[i]);
    }
    json.end_array().key("latest").begin_object();
    for (const RunCurves::Latest& each : run.curves.latest()) {
        if (!each.in_histogram) {
            json.key(each.metric).number(each.value);
        }
    }
    json.end_object().end_object();
}

}  // namespace

std::string runs_as_json(const RunsView& view) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("version").integer(static_cast<std::int64_t>(view.version)).key("differing").begin_array();
    for (const std::string& key : view.differing) {
        json.text(key);
    }
    json.end_array().key("settings").begin_array();
    for (const std::string& key : view.differing) {
        if (is_setting(key)) {
            json.text(key);
        }
    }
    std::array<double, 1> load{};
    ::getloadavg(load.data(), 1);
    json.end_array().key("load").number(load[0]).key("processors").integer(std::thread::hardware_concurrency());
    json.key("unread").integer(static_cast<std::int64_t>(view.unread)).key("metrics").begin_array();
    std::set<std::string_view> known;
    for (const auto& run : view.runs) {
        for (const RunCurves::Latest& each : run->curves.latest()) {
            if (!each.in_histogram && known.insert(each.metric).second) {
                json.text(each.metric);
            }
        }
    }
    json.end_array().key("runs").begin_array();
    std::vector<std::vector<std::string>> values;
    for (const std::string& key : view.differing) {
        values.push_back(values_of(view, key));
    }
    for (std::size_t i = 0; i < view.runs.size(); ++i) {
        write_run(json, *view.runs[i], values, i);
    }
    json.end_array().end_object();
    return out;
}

std::string curves_as_json(const RunsView& view, const std::vector<std::string_view>& ids, std::string_view metric,
                           CurveAxis axis, std::size_t most) {
    std::string out = "{\"curves\":[";
    const char* comma = "";
    for (const std::string_view id : ids) {
        const WatchedRun* run = view.find(id);
        if (run == nullptr) {
            continue;
        }
        const CurvePoints points = run->curves.points(metric, axis, most);
        if (!points.x.empty()) {
            out += comma;
            append_curve(out, *run, points);
            comma = ",";
        }
    }
    return out + "]}";
}

std::string histograms_as_json(const WatchedRun& run, CurveAxis axis, std::size_t most) {
    constexpr std::size_t kMostNumbers = 50'000;  // of one histogram
    std::string out = "{\"histograms\":";
    const char* comma = "[";
    for (const HistogramMetrics& each : run.curves.histograms()) {
        const std::size_t points = std::clamp(kMostNumbers / (each.bins + 2), std::size_t{1}, most);
        out += comma;
        comma = ",";
        JsonWriter json(out);
        json.begin_object().key("name").text(each.name).key("low").number(each.low).key("high").number(each.high);
        for (std::size_t i = each.first; i < each.end(); ++i) {
            const CurvePoints counts = run.curves.points(run.curves.latest()[i].metric, axis, points);
            if (i == each.first) {
                append_array(out, "x", counts.x, [](double x) { return x; });
                out += ",\"counts\":";
            }
            out += i == each.first ? '[' : ',';
            append_list(out, counts.y, [](const CurveBucket& y) { return y.mean; });
        }
        out += "]}";
    }
    return out + (run.curves.histograms().empty() ? "[]}" : "]}");
}

std::string run_as_json(const WatchedRun& run) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("id").text(run.id).key("folder").text(run.info.folder.string()).key("manifest");
    json.begin_object();
    for (const auto& [key, value] : run.info.values) {
        json.key(key).text(value);
    }
    json.end_object().key("logs").begin_array();
    for (const LogEnd& log : log_ends(run.info.folder)) {
        json.begin_object().key("name").text(log.name).key("text").text(log.text).end_object();
    }
    json.end_array().key("videos").begin_array();
    for (const RunVideo& video : run_videos(run.info.folder)) {
        json.begin_object().key("name").text(video.name).key("type").text(video.type).end_object();
    }
    json.end_array().end_object();
    return out;
}

}  // namespace tenon
