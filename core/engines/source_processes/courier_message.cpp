// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/courier_message.hpp"

#include <poll.h>
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

// How many bytes have come: all, unless the other side is gone, or nothing has come for so long.
std::size_t read_all(int descriptor, std::byte* to, std::size_t bytes, std::chrono::milliseconds limit) {
    std::size_t done = 0;
    pollfd waited{.fd = descriptor, .events = POLLIN, .revents = 0};
    while (done < bytes) {
        if (limit != kNoLimit && moved_by([&] { return ::poll(&waited, 1, static_cast<int>(limit.count())); }) == 0) {
            return done;
        }
        const std::size_t moved = moved_by([&] { return ::read(descriptor, to + done, bytes - done); });
        if (moved == 0) {
            return done;
        }
        done += moved;
    }
    return done;
}

}  // namespace

bool CourierMessage::send(int descriptor) {
    static_assert(sizeof(Head) == kHead);
    const Head head{.word = static_cast<std::uint32_t>(word), .number = number, .bytes = end_ - kHead + tail_.size()};
    std::memcpy(body_.data(), &head, kHead);
    return write_all(descriptor, {body_.data(), end_}, tail_);
}

bool CourierMessage::receive(int descriptor, CourierMessage& message, std::string* stray,
                             std::chrono::milliseconds limit) {
    std::array<std::byte, kHead> begun{};
    const std::size_t come = read_all(descriptor, begun.data(), kHead, limit);
    Head head;
    std::memcpy(&head, begun.data(), kHead);
    const bool is_word = head.word >= 1 && head.word <= static_cast<std::uint32_t>(CourierWord::kGone);
    if (come > 0 && (!is_word || head.bytes > kLongest) && stray != nullptr) {
        stray->assign(reinterpret_cast<const char*>(begun.data()), come);
    }
    if (come < kHead || !is_word || head.bytes > kLongest) {
        return false;
    }
    message.word = static_cast<CourierWord>(head.word);
    message.number = head.number;
    message.end_ = 0;
    message.at_ = 0;
    std::byte* const body = message.make_room(head.bytes);
    return read_all(descriptor, body, head.bytes, limit) == head.bytes;
}

}  // namespace tenon
