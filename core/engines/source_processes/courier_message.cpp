// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/courier_message.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tenon {
namespace {

constexpr std::uint64_t kLongest = std::uint64_t{1} << 40U;  // more is no message

struct Head {
    std::uint32_t word = 0;
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
};

// Moves all of the bytes with `move`, which is read or write.
template <class Move>
bool move_all(std::byte* at, std::size_t bytes, Move move) {
    while (bytes > 0) {
        const ssize_t moved = move(at, bytes);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved <= 0) {
            return false;
        }
        at += moved;
        bytes -= static_cast<std::size_t>(moved);
    }
    return true;
}

bool write_all(int descriptor, const void* from, std::size_t bytes) {
    return move_all(static_cast<std::byte*>(const_cast<void*>(from)), bytes,
                    [&](std::byte* at, std::size_t left) { return ::write(descriptor, at, left); });
}

bool read_all(int descriptor, void* to, std::size_t bytes) {
    return move_all(static_cast<std::byte*>(to), bytes,
                    [&](std::byte* at, std::size_t left) { return ::read(descriptor, at, left); });
}

}  // namespace

bool CourierMessage::send(int descriptor) {
    static_assert(sizeof(Head) == kHead);
    const Head head{.word = static_cast<std::uint32_t>(word), .number = number, .bytes = body_.size() - kHead};
    std::memcpy(body_.data(), &head, kHead);
    return write_all(descriptor, body_.data(), body_.size());
}

bool CourierMessage::receive(int descriptor, CourierMessage& message, std::string* stray) {
    Head head;
    if (!read_all(descriptor, &head, sizeof head)) {
        return false;
    }
    const bool is_word = head.word >= 1 && head.word <= static_cast<std::uint32_t>(CourierWord::kGone);
    if (!is_word || head.bytes > kLongest) {
        if (stray != nullptr) {
            stray->assign(reinterpret_cast<const char*>(&head), sizeof head);
        }
        return false;
    }
    message.word = static_cast<CourierWord>(head.word);
    message.number = head.number;
    message.body_.resize(head.bytes);
    message.at_ = 0;
    return read_all(descriptor, message.body_.data(), head.bytes);
}

}  // namespace tenon
