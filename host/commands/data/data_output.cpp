// SPDX-License-Identifier: Apache-2.0
#include "commands/data/data_output.hpp"

#include <algorithm>
#include <iostream>
#include <string>

#include "base/error/listed.hpp"
#include "base/json/write.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

constexpr std::size_t kShown = 6;  // numbers of a row in a table

void put_stats(JsonWriter& json, const NumberStats& stats) {
    if (stats.count > 0) {
        json.key("min").number(stats.min).key("max").number(stats.max);
        json.key("mean").number(stats.mean).key("std").number(stats.std());
    }
    json.key("nan").integer(static_cast<std::int64_t>(stats.nans));
}

void put_episodes(JsonWriter& json, const EpisodeSummary& episodes) {
    const auto count = [&](const char* key, std::uint64_t value) {
        json.key(key).integer(static_cast<std::int64_t>(value));
    };
    count("episodes", episodes.whole);
    count("pieces", episodes.pieces);
    count("terminated", episodes.terminated);
    count("truncated", episodes.truncated);
    if (episodes.of_returns.count > 0) {
        json.key("return_mean").number(episodes.of_returns.mean).key("return_std").number(episodes.of_returns.std());
        json.key("return_min").number(episodes.of_returns.min).key("return_max").number(episodes.of_returns.max);
    }
    if (episodes.of_lengths.count > 0) {
        json.key("length_mean").number(episodes.of_lengths.mean).key("length_std").number(episodes.of_lengths.std());
        json.key("length_min").number(episodes.of_lengths.min).key("length_max").number(episodes.of_lengths.max);
    }
}

std::string range_text(const NumberStats& stats) {
    return number_text(stats.mean) + " +- " + number_text(stats.std()) + " (" + number_text(stats.min) + " to " +
           number_text(stats.max) + ")";
}

void print_episodes(const EpisodeSummary& episodes) {
    std::cout << counted(episodes.whole, "whole episode") << ", " << counted(episodes.pieces, "piece") << "; "
              << episodes.terminated << " terminated, " << episodes.truncated << " truncated\n";
    if (episodes.of_returns.count > 0) {
        std::cout << "return " << range_text(episodes.of_returns) << '\n';
    }
    if (episodes.of_lengths.count > 0) {
        std::cout << "length " << range_text(episodes.of_lengths) << '\n';
    }
}

std::string extents_text(const std::vector<std::int64_t>& shape) {
    std::string out;
    for (const std::int64_t extent : shape) {
        out += (out.empty() ? "" : ", ") + std::to_string(extent);
    }
    return "[" + out + "]";
}

void print_info_as_json(const FramesInfo& info) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("file").text(info.file).key("format").text(info.format);
    json.key("frames").integer(static_cast<std::int64_t>(info.frames)).key("lanes").integer(info.lanes);
    put_episodes(json, info.episodes);
    json.key("columns").begin_array();
    for (const ColumnInfo& column : info.columns) {
        json.begin_object().key("key").text(column.key).key("role").text(column.role);
        json.key("dtype").text(column.dtype).key("shape").begin_array();
        std::ranges::for_each(column.shape, [&](std::int64_t extent) { json.integer(extent); });
        json.end_array().key("spec").text(column.spec).end_object();
    }
    json.end_array().key("about").begin_object();
    for (const auto& [key, value] : info.facts) {
        json.key(key).text(value);
    }
    json.end_object().key("left_out").begin_array();
    std::ranges::for_each(info.left_out, [&](const std::string& sentence) { json.text(sentence); });
    json.end_array().end_object();
    std::cout << text << '\n';
}

void put_value(JsonWriter& json, const FrameValue& value) {
    const auto put = [&](double number) {
        value.is_flag    ? json.boolean(number != 0)
        : value.is_float ? json.number(number)
                         : json.integer(static_cast<std::int64_t>(number));
    };
    if (value.is_scalar) {
        put(value.numbers.front());
        return;
    }
    json.begin_array();
    std::ranges::for_each(value.numbers, put);
    json.end_array();
}

std::string value_text(const FrameValue& value) {
    if (value.is_flag && value.is_scalar) {
        return value.numbers.front() != 0 ? "yes" : "";
    }
    std::string out;
    for (std::size_t i = 0; i < std::min(value.numbers.size(), kShown); ++i) {
        out += (i == 0 ? "" : " ") + number_text(value.numbers[i]);
    }
    return out + (value.numbers.size() > kShown ? " ..." : "");
}

}  // namespace

void print_info(const FramesInfo& info, bool as_json) {
    if (as_json) {
        print_info_as_json(info);
        return;
    }
    std::cout << info.file << ": " << counted(info.frames, "frame") << ", " << counted(info.lanes, "lane") << ", "
              << info.format << '\n';
    print_episodes(info.episodes);
    std::vector<Row> rows = {{"COLUMN", "ROLE", "VALUES"}};
    for (const ColumnInfo& column : info.columns) {
        rows.push_back({column.key, column.role,
                        column.spec.empty() ? column.dtype + " " + extents_text(column.shape) : column.spec});
    }
    print_rows(std::cout, rows);
    for (const auto& [key, value] : info.facts) {
        std::cout << key << " = " << value << '\n';
    }
    for (const std::string& sentence : info.left_out) {
        std::cout << "left out: " << sentence << '\n';
    }
}

void print_stats(const std::vector<ColumnStats>& columns, const EpisodeSummary& episodes, bool as_json) {
    if (!as_json) {
        std::vector<Row> rows = {{"COLUMN", "MIN", "MAX", "MEAN", "STD", "NAN"}};
        for (const ColumnStats& column : columns) {
            const NumberStats& all = column.all;
            const bool any = all.count > 0;
            rows.push_back({column.key, any ? number_text(all.min) : "-", any ? number_text(all.max) : "-",
                            any ? number_text(all.mean) : "-", any ? number_text(all.std()) : "-",
                            std::to_string(all.nans)});
        }
        print_rows(std::cout, rows, "", "lrrrrr");
        print_episodes(episodes);
        return;
    }
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    put_episodes(json, episodes);
    json.key("columns").begin_array();
    for (const ColumnStats& column : columns) {
        json.begin_object().key("key").text(column.key);
        put_stats(json, column.all);
        json.end_object();
    }
    json.end_array().end_object();
    std::cout << text << '\n';
}

void print_frames(const std::vector<FrameRow>& frames, bool as_json) {
    std::vector<Row> rows;
    for (const FrameRow& frame : frames) {
        if (as_json) {
            std::string text;
            JsonWriter json(text);
            json.begin_object().key("episode").integer(static_cast<std::int64_t>(frame.episode));
            json.key("step").integer(static_cast<std::int64_t>(frame.step));
            for (const FrameValue& value : frame.values) {
                put_value(json.key(value.key), value);
            }
            json.end_object();
            std::cout << text << '\n';
            continue;
        }
        if (rows.empty()) {
            rows.push_back({"episode", "step"});
            for (const FrameValue& value : frame.values) {
                rows.back().push_back(value.key);
            }
        }
        Row& row = rows.emplace_back(Row{std::to_string(frame.episode), std::to_string(frame.step)});
        for (const FrameValue& value : frame.values) {
            row.push_back(value_text(value));
        }
    }
    print_rows(std::cout, rows);
}

}  // namespace tenon::host
