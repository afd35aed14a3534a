// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_output.hpp"

#include <string_view>

#include "base/data/xml_text.hpp"
#include "base/json/write.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

std::string_view word(CheckOutcome outcome) {
    switch (outcome) {
        case CheckOutcome::kPass:
            return "pass";
        case CheckOutcome::kFail:
            return "fail";
        case CheckOutcome::kSkip:
            return "skip";
    }
    return "";
}

std::string suite_of(const Checklist& list, const CheckRow& row) {
    return row.component.empty() ? list.library : list.library + "/" + row.component;
}

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + xml_text(value) + "\"";
}

std::string junit_case(const Checklist& list, const CheckRow& row) {
    std::string out = "  <testcase" + attribute("classname", suite_of(list, row)) + attribute("name", row.name) +
                      attribute("time", std::to_string(row.seconds));
    const Verdict& verdict = row.verdict;
    if (verdict.outcome == CheckOutcome::kPass) {
        return out + "/>\n";
    }
    if (verdict.outcome == CheckOutcome::kSkip) {
        return out + "><skipped" + attribute("message", verdict.sentence) + "/></testcase>\n";
    }
    return out + "><failure" + attribute("message", verdict.sentence) + attribute("type", verdict.breaks) +
           "/></testcase>\n";
}

}  // namespace

void CheckPrinter::row(const CheckRow& row) {
    const Verdict& verdict = row.verdict;
    const bool is_skip = verdict.outcome == CheckOutcome::kSkip;
    if (!is_skip || row.component != component_ ||
        (!skips_.empty() && skips_.front().verdict.sentence != verdict.sentence)) {
        say_skips();
    }
    if (!has_begun_ || row.component != component_) {
        out_ << (has_begun_ ? "\n" : "") << (row.component.empty() ? "the file" : row.component + " (" + row.kind + ")")
             << '\n';
        has_begun_ = true;
        component_ = row.component;
    }
    if (is_skip) {
        skips_.push_back(row);
        return;
    }
    out_ << "  " << (verdict.outcome == CheckOutcome::kFail ? "FAIL" : word(verdict.outcome)) << "  " << row.name;
    if (verdict.outcome == CheckOutcome::kFail) {
        out_ << "\n        " << verdict.sentence << "\n        breaks " << verdict.breaks;
    }
    out_ << std::endl;  // flushed, to show which check takes its time
}

// Prints a reason that applies to many checks only once.
void CheckPrinter::say_skips() {
    if (!skips_.empty()) {
        out_ << "  skip  " << (skips_.size() == 1 ? skips_.front().name : std::to_string(skips_.size()) + " checks")
             << ": " << skips_.front().verdict.sentence << std::endl;
    }
    skips_.clear();
}

void CheckPrinter::sum(const Checklist& list) {
    say_skips();
    out_ << '\n'
         << list.count(CheckOutcome::kPass) << " passed, " << list.count(CheckOutcome::kFail) << " failed, "
         << list.count(CheckOutcome::kSkip) << " skipped in " << duration_text(list.seconds) << ", seed " << list.seed
         << '\n';
}

std::string check_json(const Checklist& list) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("plugin").text(list.library).key("version").text(list.version).key("path").text(list.path);
    json.key("seed").integer(static_cast<std::int64_t>(list.seed));
    json.key("passed").integer(static_cast<std::int64_t>(list.count(CheckOutcome::kPass)));
    json.key("failed").integer(static_cast<std::int64_t>(list.count(CheckOutcome::kFail)));
    json.key("skipped").integer(static_cast<std::int64_t>(list.count(CheckOutcome::kSkip)));
    json.key("seconds").number(list.seconds).key("checks").begin_array();
    for (const CheckRow& row : list.rows) {
        json.begin_object().key("component").text(row.component).key("kind").text(row.kind);
        json.key("check").text(row.name).key("outcome").text(word(row.verdict.outcome));
        json.key("breaks").text(row.verdict.breaks).key("sentence").text(row.verdict.sentence);
        json.key("seconds").number(row.seconds).end_object();
    }
    json.end_array().end_object();
    return out;
}

std::string check_junit(const Checklist& list) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite" + attribute("name", list.library) +
                      attribute("tests", std::to_string(list.rows.size())) +
                      attribute("failures", std::to_string(list.count(CheckOutcome::kFail))) +
                      attribute("skipped", std::to_string(list.count(CheckOutcome::kSkip))) +
                      attribute("time", std::to_string(list.seconds)) + ">\n";
    for (const CheckRow& row : list.rows) {
        out += junit_case(list, row);
    }
    return out + "</testsuite>\n";
}

}  // namespace tenon::host
