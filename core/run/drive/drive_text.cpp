// SPDX-License-Identifier: Apache-2.0
#include "run/drive/drive_text.hpp"

#include <span>
#include <vector>

#include "train/plan/written_columns.hpp"

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

void put_spec(JsonWriter& json, const Spec& spec) {
    json.key("key").text(spec.key).key("dtype").text(name_of(spec.dtype)).key("role").text(name_of(spec.role));
    write_integers(json, "shape", spec.shape.extents());
    json.key("kind").text(name_of(spec.kind));
    write_numbers(json, "low", spec.low);
    write_numbers(json, "high", spec.high);
    write_integers(json, "categories", spec.categories);
}

std::string columns_text(const Composite& specs, const Storage& storage) {
    std::string out;
    JsonWriter json(out);
    json.begin_array();
    for (const StorageColumn& column : storage.columns()) {
        const Spec* const spec = specs.find(column.key);
        json.begin_object();
        put_spec(json, spec != nullptr ? *spec : computed_spec({column.key, column.dtype, column.row}, column.role));
        json.key("final").boolean(column.final.data != nullptr).end_object();
    }
    json.end_array();
    return out;
}

}  // namespace tenon
