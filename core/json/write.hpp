// SPDX-License-Identifier: Apache-2.0
// Writes JSON to the end of a string, piece by piece. Allocates only where the string has to grow, so a record written
// over and over into the same string costs no memory.
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
    // The shortest digits that read back to the same bits; 1 is "1.0", so that it reads back as a float. JSON has no
    // word for NaN and the infinities: they become null.
    JsonWriter& number(double value);
    JsonWriter& boolean(bool value);
    JsonWriter& null();

private:
    void separate();
    JsonWriter& literal(std::string_view word);
    void quoted(std::string_view value);

    std::string& out_;
    bool comma_ = false;  // a value stands before the next one
};

}  // namespace tenon
