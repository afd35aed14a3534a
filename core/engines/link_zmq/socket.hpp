// SPDX-License-Identifier: Apache-2.0
// A socket of libzmq and a message of it, which are closed when they go.
#pragma once

#include <memory>
#include <span>

#include "engines/link_zmq/library.hpp"

namespace tenon::zmq {

struct CloseContext {
    void operator()(void* context) const { (*library())->ctx_term(context); }
};
using Context = std::unique_ptr<void, CloseContext>;

struct CloseSocket {
    void operator()(void* socket) const { (*library())->close(socket); }
};
using Socket = std::unique_ptr<void, CloseSocket>;

class Received {
public:
    explicit Received(const Library& zmq) : zmq_(&zmq) { zmq_->msg_init(&message_); }
    Received(const Received&) = delete;
    Received& operator=(const Received&) = delete;
    ~Received() { zmq_->msg_close(&message_); }

    // Takes the next message of the socket; false: there is none.
    bool take(void* socket) {
        zmq_->msg_close(&message_);
        zmq_->msg_init(&message_);
        return zmq_->msg_recv(&message_, socket, kDontWait) >= 0;
    }
    [[nodiscard]] std::span<const std::byte> bytes() {
        return {static_cast<const std::byte*>(zmq_->msg_data(&message_)), zmq_->msg_size(&message_)};
    }
    [[nodiscard]] bool has_more() const { return zmq_->msg_more(&message_) != 0; }

private:
    const Library* zmq_;
    Message message_{};
};

inline bool set(const Library& zmq, void* socket, Option option, int value) {
    return zmq.setsockopt(socket, option, &value, sizeof value) == 0;
}

}  // namespace tenon::zmq
