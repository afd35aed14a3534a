// SPDX-License-Identifier: Apache-2.0
// Writes messages in the wire format of Protocol Buffers: fields as numbers, texts or messages, in the order of calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

class ProtobufMessage {
public:
    ProtobufMessage& number(std::uint32_t field, std::int64_t value);  // int32, int64 and enums
    ProtobufMessage& bytes(std::uint32_t field, std::string_view value);
    ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) { return bytes(field, value.text_); }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void varint(std::uint64_t value);

    std::string text_;
};

}  // namespace tenon
