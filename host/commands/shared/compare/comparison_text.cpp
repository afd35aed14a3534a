// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/comparison_output.hpp"

#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include "base/json/write.hpp"

namespace tenon {
namespace {

void put_estimate(JsonWriter& json, const Estimate& estimate) {
    json.begin_object().key("value").number(estimate.value);
    if (estimate.interval) {
        json.key("low").number(estimate.interval->low).key("high").number(estimate.interval->high);
    }
    json.end_object();
}

void put_numbers(JsonWriter& json, std::string_view key, std::span<const double> values) {
    json.key(key).begin_array();
    for (const double value : values) {
        json.number(value);
    }
    json.end_array();
}

void put_texts(JsonWriter& json, std::string_view key, std::span<const std::string> values) {
    json.key(key).begin_array();
    for (const std::string& value : values) {
        json.text(value);
    }
    json.end_array();
}

void put_run(JsonWriter& json, const Comparison& c, const ComparedRun& run) {
    const RunRecord& record = run.record;
    json.begin_object().key("folder").text(record.info.folder.string()).key("task").text(c.tasks[run.task]);
    json.key("seed").text(plain_value(record.info.values, "run.seed")).key("state").text(name_of(record.state));
    json.key("score").number(run.score.score).key("at").number(run.score.position);
    json.key(c.counts_updates ? "updates" : "frames").number(record.position);
    json.key("seconds").number(record.seconds).end_object();
}

void put_group(JsonWriter& json, const Comparison& c, const ComparedGroup& group) {
    json.begin_object().key("name").text(group.name).key("runs").begin_array();
    for (const ComparedRun& run : group.runs) {
        put_run(json, c, run);
    }
    json.end_array();
    put_estimate(json.key("iqm"), group.iqm);
    put_estimate(json.key("median"), group.median);
    put_estimate(json.key("mean"), group.mean);
    if (group.gap) {
        put_estimate(json.key("optimality_gap"), *group.gap);
    }
    json.key("seconds").number(group.seconds).key(c.counts_updates ? "updates" : "frames").number(group.frames);
    json.key("curve").begin_object();
    put_numbers(json, "x", group.curve.x);
    put_numbers(json, "value", group.curve.value);
    put_numbers(json, "low", group.curve.low);
    put_numbers(json, "high", group.curve.high);
    json.end_object().key("profile").begin_array();
    for (const Estimate& point : group.profile) {
        put_estimate(json, point);
    }
    json.end_array().end_object();
}

void put_differences(JsonWriter& json, const Comparison& c) {
    json.key("differences").begin_array();
    for (const ValueDifference& difference : c.differences) {
        json.begin_object().key("key").text(difference.key);
        put_texts(json, "values", difference.values);
        json.end_object();
    }
    json.end_array();
}

std::string number(double value) {
    std::array<char, 40> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), written.ptr};
}

std::string csv_text(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + '"';
}

}  // namespace

std::string comparison_json(const Comparison& c) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("metric").text(c.metric).key("at").text(c.at).key("statistic").text(c.statistic);
    json.key("unit").text(c.counts_updates ? "updates" : "frames");
    put_texts(json, "tasks", c.tasks);
    json.key("ranges").begin_array();
    for (const ScoreRange& range : c.ranges) {
        json.begin_object().key("task").text(range.task).key("low").number(range.low);
        json.key("high").number(range.high).end_object();
    }
    json.end_array().key("target");
    c.target ? json.number(*c.target) : json.null();
    json.key("groups").begin_array();
    for (const ComparedGroup& group : c.groups) {
        put_group(json, c, group);
    }
    json.end_array();
    put_numbers(json, "thresholds", c.thresholds);
    json.key("pairs").begin_array();
    for (const ComparedPair& pair : c.pairs) {
        json.begin_object().key("x").text(c.groups[pair.x].name).key("y").text(c.groups[pair.y].name);
        put_estimate(json.key("probability"), pair.probability);
        json.end_object();
    }
    json.end_array();
    put_differences(json, c);
    put_texts(json, "notes", c.notes);
    json.end_object();
    return out;
}

std::string comparison_csv(const Comparison& c) {
    std::string out =
        "group,task,run,seed,state,score,at," + std::string(c.counts_updates ? "updates" : "frames") + ",seconds\n";
    for (const ComparedGroup& group : c.groups) {
        for (const ComparedRun& run : group.runs) {
            const RunRecord& record = run.record;
            out += csv_text(group.name) + ',' + csv_text(c.tasks[run.task]) + ',' +
                   csv_text(record.info.folder.string()) + ',' + csv_text(plain_value(record.info.values, "run.seed")) +
                   ',' + std::string(name_of(record.state)) + ',' + number(run.score.score) + ',' +
                   number(run.score.position) + ',' + number(record.position) + ',' + number(record.seconds) + '\n';
        }
    }
    return out;
}

}  // namespace tenon
