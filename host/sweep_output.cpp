// SPDX-License-Identifier: Apache-2.0
#include "sweep_output.hpp"

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "table.hpp"

namespace tenon::host {
namespace {

std::string mark_of(const Sweep& sweep, std::size_t number) {
    if (static_cast<std::ptrdiff_t>(number) == sweep.best) {
        return "best";
    }
    return sweep.trials[number].error.empty() ? "" : "failed";
}

}  // namespace

void print_sweep(const SweepFile& file, const Sweep& sweep) {
    Row header = {"trial"};
    for (const SpaceKey& key : file.keys) {
        header.push_back(key.key);
    }
    header.insert(header.end(), {file.metric, "seconds", ""});
    std::vector<Row> rows = {header};
    for (std::size_t i = 0; i < sweep.trials.size(); ++i) {
        const SweepTrial& trial = sweep.trials[i];
        Row row = {std::to_string(i)};
        row.insert(row.end(), trial.values.begin(), trial.values.end());
        row.insert(row.end(), {std::isfinite(trial.score) ? number_text(trial.score) : "-",
                               number_text(std::round(trial.seconds * 10) / 10), mark_of(sweep, i)});
        rows.push_back(row);
    }
    print_rows(std::cout, rows, "  ", std::string(header.size() - 1, 'r'));
}

void print_sweep_json(const SweepFile& file, const Sweep& sweep, const std::string& out) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("out").text(out).key("stopped").boolean(sweep.stopped).key("metric").text(file.metric);
    json.key("best");
    sweep.best < 0 ? json.null() : json.integer(sweep.best);
    json.key("trials").begin_array();
    for (const SweepTrial& trial : sweep.trials) {
        json.begin_object().key("values").begin_object();
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
