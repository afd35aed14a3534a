// SPDX-License-Identifier: Apache-2.0
// A socket of this machine whose bytes travel as messages of ZeroMQ: what is read from it is sent, and what arrives is
// written to it as soon as there is room.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/link_zmq/library.hpp"

namespace tenon::zmq {

// The first byte of a message between a door and a guest; text or bytes follow.
enum class DoorWord : char {
    kNothing = 0,   // without a meaning: whether it can be sent tells whether somebody is there
    kWaits = 'W',   // of a guest
    kTaken = 'T',   // the stream begins
    kSpare = 'S',   // nobody is wanted now
    kBytes = 'B',   // of the stream
    kClosed = 'C',  // the stream has ended
    kDenied = 'D',  // with a sentence
    kEnd = 'E',     // the door is closed for ever
};

class Stream {
public:
    Stream() = default;
    explicit Stream(int socket);  // which it closes
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream() { close(); }

    [[nodiscard]] bool is_open() const { return socket_ >= 0; }
    void close();
    void finish();  // closes itself when all is written
    // What zmq_poll has to wait for.
    [[nodiscard]] PollItem item() const;

    // The next bytes that were read, behind a byte for the DoorWord. Empty: none are there now. Closes itself at the
    // end.
    std::span<const std::byte> read();
    // Keeps what has no room yet, for flush(). Closes itself if nobody reads.
    void write(std::span<const std::byte> bytes);
    void flush();

private:
    int socket_ = -1;
    bool finishes_ = false;
    std::vector<std::byte> waiting_;  // to be written
    std::vector<std::byte> buffer_;
};

}  // namespace tenon::zmq
