// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/stream.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tenon::zmq {
namespace {

constexpr std::size_t kPart = std::size_t{256} << 10U;  // bytes of a message, at most

}  // namespace

Stream::Stream(int socket) : socket_(socket), buffer_(kPart + 1) {
    buffer_.front() = static_cast<std::byte>(DoorWord::kBytes);
}

Stream::Stream(Stream&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      finishes_(other.finishes_),
      waiting_(std::move(other.waiting_)),
      buffer_(std::move(other.buffer_)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(finishes_, other.finishes_);
    std::swap(waiting_, other.waiting_);
    std::swap(buffer_, other.buffer_);
    return *this;
}

void Stream::close() {
    if (socket_ >= 0) {
        ::close(std::exchange(socket_, -1));
    }
    waiting_.clear();
    finishes_ = false;
}

void Stream::finish() {
    finishes_ = true;
    flush();
}

PollItem Stream::item() const {
    return {.fd = socket_, .events = static_cast<short>((finishes_ ? 0 : kPollIn) | (waiting_.empty() ? 0 : kPollOut))};
}

std::span<const std::byte> Stream::read() {
    if (finishes_) {
        return {};
    }
    ssize_t got = -1;
    do {
        got = ::recv(socket_, buffer_.data() + 1, kPart, MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got > 0) {
        return {buffer_.data(), static_cast<std::size_t>(got) + 1};
    }
    if (got == 0 || errno != EAGAIN) {
        close();
    }
    return {};
}

void Stream::write(std::span<const std::byte> bytes) {
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    flush();
}

void Stream::flush() {
    std::size_t written = 0;
    while (written < waiting_.size()) {
        const ssize_t moved =
            ::send(socket_, waiting_.data() + written, waiting_.size() - written, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved < 0 && errno != EAGAIN) {
            close();
            return;
        }
        if (moved < 0) {
            break;
        }
        written += static_cast<std::size_t>(moved);
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(written));
    if (finishes_ && waiting_.empty()) {
        close();
    }
}

}  // namespace tenon::zmq
