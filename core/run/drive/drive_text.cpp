// SPDX-License-Identifier: Apache-2.0
#include "run/drive/drive_text.hpp"

#include <span>

#include "base/json/write.hpp"

namespace tenon {
namespace {

void write_integers(JsonWriter& json, std::string_view key, std::span<const std::int64_t> values) {
    json.key(key).begin_array();
    for (const std::int64_t value : values) {
        json.integer(value);
    }
    json.end_array();
}

void write_numbers(JsonWriter& json, std::string_view key, const std::vector<double>& values) {
    json.key(key).begin_array();
    for (const double value : values) {
        json.number(value);
    }
    json.end_array();
}

}  // namespace

std::string columns_text(const Composite& specs, const Storage& storage) {
    std::string out;
    JsonWriter json(out);
    json.begin_array();
    for (const StorageColumn& column : storage.columns()) {
        const Spec* const spec = specs.find(column.key);
        json.begin_object().key("key").text(column.key).key("dtype").text(name_of(column.dtype));
        json.key("role").text(name_of(column.role));
        write_integers(json, "shape", column.row.extents());
        json.key("kind").text(name_of(spec != nullptr ? spec->kind : SpecKind::kUnbounded));
        write_numbers(json, "low", spec != nullptr ? spec->low : std::vector<double>());
        write_numbers(json, "high", spec != nullptr ? spec->high : std::vector<double>());
        write_integers(json, "categories", spec != nullptr ? spec->categories : std::vector<std::int64_t>());
        json.key("final").boolean(column.final.data != nullptr).end_object();
    }
    json.end_array();
    return out;
}

}  // namespace tenon
