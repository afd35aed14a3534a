// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of a group, which are numbered from 0. An engine implements this interface
// (link_engine.hpp). One thread at a time uses a link.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/error/result.hpp"

namespace tenon {

class Link {
public:
    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link() = default;

    // Queues a copy of the message. Messages to one process arrive in order, each whole.
    virtual Status send(std::size_t to, std::span<const std::byte> message) = 0;
    // The next message of this process, if one has arrived; valid until the next call.
    virtual std::optional<std::span<const std::byte>> receive(std::size_t from) = 0;
    // Waits until a message of this process arrives or any process is gone, and not longer than this.
    virtual void wait(std::size_t from, std::chrono::milliseconds limit) = 0;
    // A process whose connection has ended, for good. Messages that came before can still be received.
    [[nodiscard]] virtual std::optional<std::size_t> gone() = 0;
    // Sends what is queued, if this takes no longer than the limit, and ends all connections.
    virtual void close(std::chrono::milliseconds limit) = 0;
    // Where this process is reached, for sentences.
    [[nodiscard]] virtual std::string address() const = 0;
};

}  // namespace tenon
