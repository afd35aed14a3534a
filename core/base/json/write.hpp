// SPDX-License-Identifier: Apache-2.0
// Appends JSON to a string, piece by piece. Allocates only when the string grows, so writing the same record repeatedly
// to the same string does not allocate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

class JsonWriter {
public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);

    JsonWriter& text(std::string_view value);
    JsonWriter& integer(std::int64_t value);
    // The shortest digits that read back to the same bits; 1 is "1.0", so that it remains a float. JSON has no NaN or
    // infinities: they become null.
    JsonWriter& number(double value);
    JsonWriter& boolean(bool value);
    JsonWriter& null();

private:
    void separate();
    JsonWriter& literal(std::string_view word);
    void quoted(std::string_view value);

    std::string& out_;
    bool comma_ = false;  // the next value needs a comma
};

}  // namespace tenon
