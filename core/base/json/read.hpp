// SPDX-License-Identifier: Apache-2.0
// JSON text as a small tree of plain values: plugin notes, safetensors headers, metric records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct Json;
struct JsonMember;
using JsonArray = std::vector<Json>;
using JsonObject = std::vector<JsonMember>;  // in the order of the text

struct Json {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonArray, JsonObject> value;

    // The value as that type, or null if it is another one: get<std::string>(), get<JsonArray>().
    template <class T>
    [[nodiscard]] const T* get() const {
        return std::get_if<T>(&value);
    }

    [[nodiscard]] bool is_null() const { return value.index() == 0; }

    // The member of an object, or null if this is no object or has no such member.
    [[nodiscard]] const Json* find(std::string_view key) const;
};

struct JsonMember {
    std::string key;
    Json value;
};

// A number with a point or an exponent becomes the nearest double, to the last bit; so do integers beyond 64 signed
// bits. Of members with the same key the last one is kept. The problem's sentence begins with `subject` and names the
// byte of the error. Lists and objects with the key `emptied` are read but stay empty, which takes a fraction of the
// time.
Result<Json> parse_json(std::string_view text, std::string_view subject, std::string_view emptied = {});

}  // namespace tenon
