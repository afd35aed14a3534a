// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/sweep_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/json/write.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

std::string mark_of(const Sweep& sweep, std::size_t i) {
    if (static_cast<std::ptrdiff_t>(i) == sweep.best) {
        return "best";
    }
    if (!sweep.trials[i].error.empty()) {
        return "failed";
    }
    return std::ranges::find(sweep.front, i) != sweep.front.end() ? "front" : "";
}

// The copies that led to a member's checkpoint, the latest first: "from 3 at 10000 frames, from 1 at 5000 frames".
std::string lineage_of(const Sweep& sweep, std::size_t member) {
    std::string out;
    for (std::size_t i = sweep.journal.size(); i-- > 0;) {
        const SweepTrial& leg = sweep.journal[i];
        if (leg.number == member && leg.from >= 0) {
            member = static_cast<std::size_t>(leg.from);
            out += (out.empty() ? "from " : ", from ") + std::to_string(member) + " at " + sweep.reached[leg.leg - 1];
        }
    }
    return out;
}

// Values of a range have more digits than a reader wants; --json and best.toml have them all.
std::string shown(const SweepFile& file, std::size_t key, const std::string& value) {
    const Dimension& dimension = file.space[key];
    return dimension.choices == 0 && !dimension.integer ? number_text(std::strtod(value.c_str(), nullptr)) : value;
}

}  // namespace

void print_sweep(const SweepFile& file, const Sweep& sweep) {
    if (sweep.trials.empty()) {
        std::cout << "no trial has ended\n";
        return;
    }
    Row header = {"trial"};
    for (const SpaceKey& key : file.keys) {
        header.push_back(key.key);
    }
    header.insert(header.end(), {"reached", file.metric, "seconds", "", ""});
    std::vector<Row> rows = {header};
    for (std::size_t i = 0; i < sweep.trials.size(); ++i) {
        const SweepTrial& trial = sweep.trials[i];
        Row row = {std::to_string(trial.number)};
        for (std::size_t key = 0; key < trial.values.size(); ++key) {
            row.push_back(shown(file, key, trial.values[key]));
        }
        row.insert(row.end(), {sweep.reached[trial.leg], std::isfinite(trial.score) ? number_text(trial.score) : "-",
                               number_text(std::round(trial.seconds * 10) / 10), mark_of(sweep, i),
                               lineage_of(sweep, trial.number)});
        rows.push_back(row);
    }
    if (sweep.reached.size() == 1) {  // all go to their ends
        for (Row& row : rows) {
            row.erase(row.end() - 5);
        }
    }
    print_rows(std::cout, rows, "  ", std::string(rows.front().size() - 2, 'r'));
}

void print_sweep_json(const SweepFile& file, const Sweep& sweep, const std::string& out) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("out").text(out).key("stopped").boolean(sweep.stopped).key("metric").text(file.metric);
    json.key("best");
    sweep.best < 0 ? json.null()
                   : json.integer(static_cast<std::int64_t>(sweep.trials[static_cast<std::size_t>(sweep.best)].number));
    json.key("front").begin_array();
    for (const std::size_t each : sweep.front) {
        json.integer(static_cast<std::int64_t>(sweep.trials[each].number));
    }
    json.end_array().key("trials").begin_array();
    for (const SweepTrial& trial : sweep.trials) {
        json.begin_object().key("trial").integer(static_cast<std::int64_t>(trial.number)).key("reached");
        json.text(sweep.reached[trial.leg]).key("lineage").text(lineage_of(sweep, trial.number));
        json.key("values").begin_object();
        for (std::size_t i = 0; i < trial.values.size(); ++i) {
            json.key(file.keys[i].key).text(trial.values[i]);
        }
        json.end_object().key("code").integer(trial.code).key("score").number(trial.score).key("scores").begin_array();
        for (const double score : trial.scores) {
            json.number(score);
        }
        json.end_array().key("seconds").number(trial.seconds).key("error").text(trial.error).end_object();
    }
    json.end_array().end_object();
    std::cout << text << '\n';
}

}  // namespace tenon::host
