// SPDX-License-Identifier: Apache-2.0
#include "experience/dataset/spec_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/json/read.hpp"
#include "base/json/write.hpp"

namespace tenon {
namespace {

constexpr std::array kKinds = {SpecKind::kUnbounded, SpecKind::kBounded,          SpecKind::kCategorical,
                               SpecKind::kOneHot,    SpecKind::kMultiCategorical, SpecKind::kBinary};
constexpr std::array kRoles = {Role::kObservation, Role::kAction, Role::kReward,
                               Role::kState,       Role::kExtra,  Role::kEnd};
constexpr std::array kTypes = {DType::kF32, DType::kF64, DType::kI64, DType::kI32, DType::kU8, DType::kBool};

template <class T, std::size_t N>
std::optional<T> named(const std::array<T, N>& all, const Json* word) {
    const std::string* const text = word == nullptr ? nullptr : word->get<std::string>();
    const auto* const found =
        std::ranges::find_if(all, [&](T each) { return text != nullptr && name_of(each) == *text; });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

void write_bounds(JsonWriter& json, const std::vector<double>& bounds) {
    json.begin_array();
    for (const double bound : bounds) {
        std::isinf(bound) ? json.text(bound < 0 ? "-inf" : "inf") : json.number(bound);
    }
    json.end_array();
}

void write_integers(JsonWriter& json, std::span<const std::int64_t> numbers) {
    json.begin_array();
    for (const std::int64_t number : numbers) {
        json.integer(number);
    }
    json.end_array();
}

std::vector<std::int64_t> integers(const Json* list) {
    std::vector<std::int64_t> out;
    const JsonArray* const array = list == nullptr ? nullptr : list->get<JsonArray>();
    for (const Json& each : array == nullptr ? JsonArray() : *array) {
        out.push_back(each.get<std::int64_t>() == nullptr ? -1 : *each.get<std::int64_t>());
    }
    return out;
}

std::vector<double> bounds(const Json* list) {
    std::vector<double> out;
    const JsonArray* const array = list == nullptr ? nullptr : list->get<JsonArray>();
    for (const Json& each : array == nullptr ? JsonArray() : *array) {
        const double* const number = each.get<double>();
        const std::string* const text = each.get<std::string>();
        const double infinity = std::numeric_limits<double>::infinity();
        out.push_back(number != nullptr ? *number : text != nullptr && *text == "-inf" ? -infinity : infinity);
    }
    return out;
}

std::optional<Spec> spec_of(const Json& json) {
    const Json* const key = json.find("key");
    const auto role = named(kRoles, json.find("role"));
    const auto kind = named(kKinds, json.find("kind"));
    const auto dtype = named(kTypes, json.find("dtype"));
    const std::vector<std::int64_t> shape = integers(json.find("shape"));
    if (key == nullptr || key->get<std::string>() == nullptr || !role || !kind || !dtype ||
        shape.size() > kMaxSpecRank) {
        return std::nullopt;
    }
    Spec out{.key = *key->get<std::string>(),
             .kind = *kind,
             .role = *role,
             .dtype = *dtype,
             .shape = Shape(shape),
             .low = bounds(json.find("low")),
             .high = bounds(json.find("high")),
             .categories = integers(json.find("categories"))};
    return fault_of(out).empty() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::string specs_to_json(const Composite& specs) {
    std::string out;
    JsonWriter json(out);
    json.begin_array();
    for (const Spec& spec : specs.specs) {
        json.begin_object().key("key").text(spec.key).key("role").text(name_of(spec.role));
        json.key("kind").text(name_of(spec.kind)).key("dtype").text(name_of(spec.dtype)).key("shape");
        write_integers(json, spec.shape.extents());
        if (!spec.low.empty()) {
            write_bounds(json.key("low"), spec.low);
            write_bounds(json.key("high"), spec.high);
        }
        if (!spec.categories.empty()) {
            write_integers(json.key("categories"), spec.categories);
        }
        json.end_object();
    }
    json.end_array();
    return out;
}

Composite specs_from_json(std::string_view text) {
    Composite out;
    const Result<Json> json = parse_json(text, "specs");
    const JsonArray* const list = json ? json->get<JsonArray>() : nullptr;
    for (const Json& each : list == nullptr ? JsonArray() : *list) {
        if (std::optional<Spec> spec = spec_of(each)) {
            out.specs.push_back(std::move(*spec));
        }
    }
    return out;
}

}  // namespace tenon
