// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/courier_message.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

// The next bytes moved by `call`, which is repeated if a signal has interrupted it. 0: none, and none will be.
template <class Call>
std::size_t moved_by(Call call) {
    ssize_t moved = call();
    while (moved < 0 && errno == EINTR) {
        moved = call();
    }
    return moved <= 0 ? 0 : static_cast<std::size_t>(moved);
}

// Both parts, by one call if the other side takes them at once.
bool write_all(int descriptor, std::span<const std::byte> first, std::span<const std::byte> second) {
    while (!first.empty() || !second.empty()) {
        const auto part = [](std::span<const std::byte> bytes) {
            return iovec{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
        };
        const std::array<iovec, 2> parts = {part(first), part(second)};
        const std::size_t moved = moved_by([&] { return ::writev(descriptor, parts.data(), 2); });
        if (moved == 0) {
            return false;
        }
        const std::size_t of_first = std::min(moved, first.size());
        first = first.subspan(of_first);
        second = second.subspan(moved - of_first);
    }
    return true;
}

bool read_all(int descriptor, void* to, std::size_t bytes) {
    auto* at = static_cast<std::byte*>(to);
    while (bytes > 0) {
        const std::size_t moved = moved_by([&] { return ::read(descriptor, at, bytes); });
        if (moved == 0) {
            return false;
        }
        at += moved;
        bytes -= moved;
    }
    return true;
}

}  // namespace

bool CourierMessage::send(int descriptor) {
    static_assert(sizeof(Head) == kHead);
    const Head head{.word = static_cast<std::uint32_t>(word), .number = number, .bytes = end_ - kHead + tail_.size()};
    std::memcpy(body_.data(), &head, kHead);
    return write_all(descriptor, {body_.data(), end_}, tail_);
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
    message.end_ = 0;
    message.at_ = 0;
    std::byte* const body = message.make_room(head.bytes);
    return read_all(descriptor, body, head.bytes);
}

}  // namespace tenon
