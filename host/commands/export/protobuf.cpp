// SPDX-License-Identifier: Apache-2.0
#include "commands/export/protobuf.hpp"

namespace tenon {
namespace {

// The wire types, which follow the number of a field.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kLengthFirst = 2;

}  // namespace

void ProtobufMessage::varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) {
        text_ += static_cast<char>((value & 0x7FU) | 0x80U);
    }
    text_ += static_cast<char>(value);
}

ProtobufMessage& ProtobufMessage::number(std::uint32_t field, std::int64_t value) {
    varint((std::uint64_t{field} << 3U) | kVarint);
    varint(static_cast<std::uint64_t>(value));
    return *this;
}

ProtobufMessage& ProtobufMessage::bytes(std::uint32_t field, std::string_view value) {
    varint((std::uint64_t{field} << 3U) | kLengthFirst);
    varint(value.size());
    text_ += value;
    return *this;
}

}  // namespace tenon
