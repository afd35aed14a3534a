// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/journal.hpp"

#include <algorithm>
#include <array>
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

// As a string: parse_json may round the last digit of a number, and then a search that goes on would take other points.
std::string exact_text(double number) {
    std::array<char, 32> out{};
    return {out.data(), std::to_chars(out.data(), out.data() + out.size(), number).ptr};
}

void write_numbers(JsonWriter& json, std::string_view key, const std::vector<double>& numbers) {
    json.key(key).begin_array();
    for (const double number : numbers) {
        json.text(exact_text(number));
    }
    json.end_array();
}

double number_of(const Json* json) {
    const auto* const text = json != nullptr ? json->get<std::string>() : nullptr;
    double out = std::numeric_limits<double>::quiet_NaN();
    if (text != nullptr) {
        std::from_chars(text->data(), text->data() + text->size(), out);
    }
    return out;
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
    const Json* const code = json.find("code");
    const Json* const error = json.find("error");
    if (values == nullptr || values->get<JsonArray>() == nullptr || code == nullptr ||
        code->get<std::int64_t>() == nullptr || error == nullptr || error->get<std::string>() == nullptr) {
        return std::nullopt;
    }
    SweepTrial out{.point = numbers_of(json.find("point")),
                   .values = {},
                   .code = static_cast<int>(*code->get<std::int64_t>()),
                   .score = number_of(json.find("score")),
                   .scores = numbers_of(json.find("scores")),
                   .seconds = number_of(json.find("seconds")),
                   .error = *error->get<std::string>()};
    for (const Json& value : *values->get<JsonArray>()) {
        const auto* const text = value.get<std::string>();
        out.values.push_back(text != nullptr ? *text : "");
    }
    return out.point.size() == out.values.size() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

Status write_journal(const std::filesystem::path& path, const std::string& sweep,
                     const std::vector<SweepTrial>& trials) {
    std::string text;
    JsonWriter(text).begin_object().key("sweep").text(sweep).end_object();
    for (std::size_t i = 0; i < trials.size(); ++i) {
        text += '\n';
        const SweepTrial& trial = trials[i];
        JsonWriter json(text);
        json.begin_object().key("trial").integer(static_cast<std::int64_t>(i));
        write_numbers(json, "point", trial.point);
        json.key("values").begin_array();
        for (const std::string& value : trial.values) {
            json.text(value);
        }
        json.end_array().key("code").integer(trial.code).key("score").text(exact_text(trial.score));
        write_numbers(json, "scores", trial.scores);
        json.key("seconds").text(exact_text(trial.seconds)).key("error").text(trial.error).end_object();
    }
    return write_file(path, text + '\n');
}

Result<std::vector<SweepTrial>> read_journal(const std::filesystem::path& path, const std::string& sweep) {
    std::vector<SweepTrial> out;
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        return out;
    }
    const Result<std::string> text = read_file(path, kLargest);
    if (!text) {
        return text.error();
    }
    std::uint32_t number = 0;
    for (std::size_t begin = 0; begin < text->size();) {
        const std::size_t end = std::min(text->find('\n', begin), text->size());
        const Result<Json> json = parse_json(std::string_view(*text).substr(begin, end - begin), path.string());
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
