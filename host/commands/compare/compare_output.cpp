// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_output.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "table.hpp"

namespace tenon::host {
namespace {

constexpr std::size_t kLongestValue = 40;

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '|' ? "\\|" : std::string(1, c);
    }
    return out;
}

// The first row is the header. `sides` as for print_rows.
void print_table(const std::vector<Row>& rows, const std::string& sides, bool markdown) {
    if (!markdown) {
        print_rows(std::cout, rows, "", sides);
        return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::string line = "|";
        std::string rule = "|";
        for (std::size_t column = 0; column < rows[i].size(); ++column) {
            line += " " + escaped(rows[i][column]) + " |";
            rule += column < sides.size() && sides[column] == 'r' ? "---:|" : "---|";
        }
        std::cout << line << '\n' << (i == 0 ? rule + "\n" : "");
    }
}

std::string interval_text(const Estimate& estimate) {
    return estimate.interval ? number_text(estimate.interval->low) + " to " + number_text(estimate.interval->high)
                             : "-";
}

void print_groups(const Comparison& c, bool markdown) {
    const bool gap = c.target.has_value();
    Row header = {"group", "runs", "iqm", "95 %", "median", "mean", "95 %"};
    if (gap) {
        header.insert(header.end(), {"gap", "95 %"});
    }
    header.insert(header.end(), {c.counts_updates ? "updates/run" : "frames/run", "time/run", "time"});
    std::vector<Row> rows = {header};
    for (const ComparedGroup& group : c.groups) {
        const auto runs = static_cast<double>(group.runs.size());
        Row& row = rows.emplace_back(Row{group.name, std::to_string(group.runs.size()), number_text(group.iqm.value),
                                         interval_text(group.iqm), number_text(group.median.value),
                                         number_text(group.mean.value), interval_text(group.mean)});
        if (gap) {
            row.insert(row.end(), {number_text(group.gap->value), interval_text(*group.gap)});
        }
        row.insert(row.end(), {number_text(std::round(group.frames / runs)), duration_text(group.seconds / runs),
                               duration_text(group.seconds)});
    }
    print_table(rows, std::string("lr") + std::string(header.size() - 2, 'r'), markdown);
}

Estimate complement(const Estimate& of) {
    Estimate out{.value = 1 - of.value, .interval = std::nullopt};
    if (of.interval) {
        out.interval = Interval{.low = 1 - of.interval->high, .high = 1 - of.interval->low};
    }
    return out;
}

void print_pairs(const Comparison& c, bool markdown) {
    if (c.pairs.empty()) {
        return;
    }
    std::vector<Row> rows = {{"a run of", "beats one of", "probability", "95 %"}};
    for (const ComparedPair& pair : c.pairs) {
        const bool turned = pair.probability.value < 0.5;  // the better group comes first
        const Estimate probability = turned ? complement(pair.probability) : pair.probability;
        rows.push_back({c.groups[turned ? pair.y : pair.x].name, c.groups[turned ? pair.x : pair.y].name,
                        number_text(probability.value), interval_text(probability)});
    }
    std::cout << '\n';
    print_table(rows, "llrr", markdown);
}

std::string short_value(const std::string& value) {
    return value.empty() ? "-" : value.size() <= kLongestValue ? value : value.substr(0, kLongestValue - 3) + "...";
}

void print_differences(const Comparison& c, bool markdown) {
    Row header = {"differs"};
    for (const ComparedGroup& group : c.groups) {
        header.push_back(group.name);
    }
    std::vector<Row> rows = {header};
    std::size_t partial = 0;
    for (const ValueDifference& difference : c.differences) {
        if (!difference.everywhere && !difference.key.ends_with(".plugin")) {
            ++partial;
            continue;
        }
        Row& row = rows.emplace_back(Row{difference.key});
        std::ranges::for_each(difference.values, [&](const std::string& value) { row.push_back(short_value(value)); });
    }
    if (rows.size() > 1) {
        std::cout << '\n';
        print_table(rows, "", markdown);
    }
    if (partial > 0) {
        std::cout << (markdown ? "\n" : "") << partial << (partial == 1 ? " more value is" : " more values are")
                  << " of some runs only; --json lists " << (partial == 1 ? "it" : "them") << '\n';
    }
}

}  // namespace

void print_comparison(const Comparison& c, bool markdown) {
    const bool named = c.at == "last" || c.at == "best";
    std::cout << c.metric << ", " << (named ? c.at : "last") << " value of each run"
              << (named ? "" : " at or before " + c.at);
    if (!c.ranges.empty()) {
        std::cout << ", scaled";
    }
    std::cout << (markdown ? "\n\n" : "\n");
    print_groups(c, markdown);
    print_pairs(c, markdown);
    print_differences(c, markdown);
    if (!c.notes.empty()) {
        std::cout << '\n';
    }
    for (const std::string& note : c.notes) {
        std::cout << (markdown ? "- " : "note: ") << note << '\n';
    }
}

}  // namespace tenon::host
