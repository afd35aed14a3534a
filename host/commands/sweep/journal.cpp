// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/journal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/read.hpp"
#include "base/json/read.hpp"
#include "base/json/write.hpp"

namespace tenon {
namespace {

constexpr Largest kLargest{.bytes = std::uint64_t{1} << 28U, .kind = "journal"};

void write_numbers(JsonWriter& json, std::string_view key, const std::vector<double>& numbers) {
    json.key(key).begin_array();
    for (const double number : numbers) {
        json.number(number);
    }
    json.end_array();
}

// Earlier versions have written numbers as strings.
double number_of(const Json* json) {
    double out = std::numeric_limits<double>::quiet_NaN();
    if (json == nullptr) {
        return out;
    }
    if (const auto* const text = json->get<std::string>()) {
        std::from_chars(text->data(), text->data() + text->size(), out);
    }
    const auto* const number = json->get<double>();
    return number != nullptr ? *number : out;
}

// An integer that is not negative.
std::optional<std::size_t> count_of(const Json* json) {
    const auto* const count = json != nullptr ? json->get<std::int64_t>() : nullptr;
    return count != nullptr && *count >= 0 ? std::optional(static_cast<std::size_t>(*count)) : std::nullopt;
}

std::vector<double> numbers_of(const Json* json) {
    std::vector<double> out;
    if (const auto* const list = json != nullptr ? json->get<JsonArray>() : nullptr) {
        for (const Json& each : *list) {
            out.push_back(number_of(&each));
        }
    }
    return out;
}

std::optional<SweepTrial> trial_of(const Json& json) {
    const Json* const values = json.find("values");
    const bool ended = json.find("begun") == nullptr;
    const std::optional<std::size_t> number = count_of(json.find(ended ? "trial" : "begun"));
    if (!number || values == nullptr || values->get<JsonArray>() == nullptr) {
        return std::nullopt;
    }
    SweepTrial out{.number = *number,
                   .leg = count_of(json.find("leg")).value_or(0),
                   .ended = ended,
                   .point = numbers_of(json.find("point")),
                   .values = {},
                   .scores = {},
                   .error = {}};
    for (const Json& value : *values->get<JsonArray>()) {
        const auto* const text = value.get<std::string>();
        out.values.push_back(text != nullptr ? *text : "");
    }
    if (out.point.size() != out.values.size()) {
        return std::nullopt;
    }
    if (!ended) {
        return out;
    }
    const Json* const code = json.find("code");
    const Json* const error = json.find("error");
    if (code == nullptr || code->get<std::int64_t>() == nullptr || error == nullptr ||
        error->get<std::string>() == nullptr) {
        return std::nullopt;
    }
    if (const std::optional<std::size_t> from = count_of(json.find("from"))) {
        out.from = static_cast<std::ptrdiff_t>(*from);
    }
    out.code = static_cast<int>(*code->get<std::int64_t>());
    out.score = number_of(json.find("score"));
    out.scores = numbers_of(json.find("scores"));
    out.seconds = number_of(json.find("seconds"));
    out.error = *error->get<std::string>();
    return out;
}

void write_trial(JsonWriter& json, const SweepTrial& trial) {
    json.begin_object().key(trial.ended ? "trial" : "begun").integer(static_cast<std::int64_t>(trial.number));
    if (trial.leg > 0) {
        json.key("leg").integer(static_cast<std::int64_t>(trial.leg));
    }
    if (trial.from >= 0) {
        json.key("from").integer(trial.from);
    }
    write_numbers(json, "point", trial.point);
    json.key("values").begin_array();
    for (const std::string& value : trial.values) {
        json.text(value);
    }
    json.end_array();
    if (trial.ended) {
        json.key("code").integer(trial.code).key("score").number(trial.score);
        write_numbers(json, "scores", trial.scores);
        json.key("seconds").number(trial.seconds).key("error").text(trial.error);
    }
    json.end_object();
}

}  // namespace

Status write_journal(const std::filesystem::path& path, const std::string& sweep,
                     const std::vector<SweepTrial>& trials) {
    std::string text;
    JsonWriter(text).begin_object().key("sweep").text(sweep).end_object();
    for (const SweepTrial& trial : trials) {
        text += '\n';
        JsonWriter json(text);
        write_trial(json, trial);
    }
    return write_file(path, text + '\n');
}

Result<std::vector<SweepTrial>> read_journal(const std::filesystem::path& path, const std::string& sweep) {
    std::vector<SweepTrial> out;
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        return out;
    }
    const std::string text = TENON_TRY(read_file(path, kLargest));
    std::uint32_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const Result<Json> json = parse_json(std::string_view(text).substr(begin, end - begin), path.string());
        const Place place{.file = path.string(), .line = ++number, .column = 1, .length = 0, .excerpt = {}};
        begin = end + 1;
        const Json* const whole = json && number == 1 ? json->find("sweep") : nullptr;
        if (whole != nullptr && whole->get<std::string>() != nullptr) {
            if (*whole->get<std::string>() != sweep) {
                return input_problem("the folder holds another sweep, or this one before it was changed", place,
                                     "choose another --out; only trials can be changed");
            }
            continue;
        }
        std::optional<SweepTrial> trial = json && number > 1 ? trial_of(*json) : std::nullopt;
        if (!trial) {
            return input_problem("this line of the journal is not one that tenon sweep wrote", place);
        }
        out.push_back(*std::move(trial));
    }
    return out;
}

}  // namespace tenon
