// SPDX-License-Identifier: Apache-2.0
// The side of a guest.
#include <algorithm>
#include <chrono>
#include <optional>

#include "engines/link_zmq/address.hpp"
#include "engines/link_zmq/door.hpp"
#include "engines/link_zmq/stream.hpp"

namespace tenon::zmq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kNameLimit = std::chrono::seconds(60);
constexpr auto kPatience = std::chrono::seconds(1);  // before it tells what it waits for
constexpr long kVisitGlanceMs = 100;
constexpr int kMostFailures = 3;  // a door that closes lets handshakes fail, too

class Visitor {
public:
    Visitor(const Library& zmq, const Visit& visit) : zmq_(zmq), visit_(visit), received_(zmq) {}

    Status stay(void* context) {
        const std::string endpoint = TENON_TRY(numeric(side().endpoint, std::min(visit_.limit, kNameLimit)));
        dealer_ = TENON_TRY(door_socket(zmq_, context, kDealer, side(), false));
        monitor_ = TENON_TRY(
            watch(zmq_, context, dealer_.get(), kEventHandshakeSucceeded | kEventHandshakeFailed | kEventDisconnected));
        if (zmq_.connect(dealer_.get(), endpoint.c_str()) != 0) {
            return environment_problem(side().endpoint + " cannot be connected to: " + last_error(zmq_));
        }
        waits_since_ = Clock::now();
        while (!over_) {
            std::array<PollItem, 3> items = {
                PollItem{.socket = dealer_.get()}, {.socket = monitor_.get()}, stream_.item()};
            zmq_.poll(items.data(), stream_.is_open() ? 3 : 2, kVisitGlanceMs);
            if (stream_.is_open()) {
                serve_stream(items[2].revents);
            }
            while (!over_ && received_.take(dealer_.get())) {
                TENON_TRY(hear(received_.bytes()));
            }
            TENON_TRY(over_ ? Status() : hear_events());
            if (greets_ && !over_) {
                greet();
            }
            TENON_TRY(over_ || is_known_ ? Status() : await_door());
            if (spare_since_ && Clock::now() - *spare_since_ >= kPatience) {
                spare_since_.reset();
                visit_.tell("the run at " + side().endpoint + " has all its workers: this one waits until one is lost");
            }
        }
        return {};
    }

private:
    [[nodiscard]] const DoorSide& side() const { return visit_.side; }

    bool send(std::span<const std::byte> message) {
        return zmq_.send(dealer_.get(), message.data(), message.size(), kDontWait) >= 0;
    }
    bool send(DoorWord word, const std::string& text = {}) {
        const std::string message = static_cast<char>(word) + text;
        return send(std::as_bytes(std::span(message)));
    }

    // The monitor may tell of a connection a moment before it takes messages; then the greeting is sent later.
    void greet() {
        greets_ = !send(DoorWord::kWaits,
                        std::string(kDoorHello) + "\n" + side().build + "\n" + side().level + "\n" + side().name);
    }

    void serve_stream(short events) {
        if ((events & kPollOut) != 0) {
            stream_.flush();
        }
        if ((events & ~kPollOut) != 0 && stream_.is_open()) {
            if (const std::span<const std::byte> message = stream_.read(); !message.empty()) {
                (void)send(message);
            }
        }
        if (!stream_.is_open()) {
            leave_stream();
        }
    }

    // The process at this end reads and writes no more.
    void leave_stream() {
        (void)send(DoorWord::kClosed);
        end_stream();
    }

    void end_stream() {
        over_ = !visit_.end();
        if (!over_) {
            greet();
        }
    }

    Status hear(std::span<const std::byte> message) {
        is_known_ = true;
        const auto word = message.empty() ? DoorWord::kNothing : static_cast<DoorWord>(message.front());
        const std::span<const std::byte> rest = message.subspan(std::min<std::size_t>(message.size(), 1));
        switch (word) {
            case DoorWord::kTaken:
                spare_since_.reset();
                stream_ = Stream(TENON_TRY(visit_.begin()));
                break;
            case DoorWord::kSpare:
                spare_since_ = Clock::now();
                break;
            case DoorWord::kBytes:
                if (stream_.is_open()) {
                    stream_.write(rest);
                    if (!stream_.is_open()) {
                        leave_stream();
                    }
                }
                break;
            case DoorWord::kClosed:
                if (stream_.is_open()) {
                    stream_.close();
                    end_stream();
                }
                break;
            case DoorWord::kDenied:
                return environment_problem({reinterpret_cast<const char*>(rest.data()), rest.size()});
            case DoorWord::kEnd:
                close_stream();
                set(zmq_, dealer_.get(), kLinger, 0);
                over_ = true;
                break;
            default:
                break;
        }
        return {};
    }

    void close_stream() {
        if (stream_.is_open()) {
            stream_.close();
            (void)visit_.end();
        }
    }

    Status hear_events() {
        while (const int event = next_event(zmq_, monitor_.get())) {
            if (event == kEventHandshakeSucceeded) {
                has_connected_ = true;
                greet();
            } else if (event == kEventDisconnected && is_known_) {
                // what came before it
                while (!over_ && received_.take(dealer_.get())) {
                    TENON_TRY(hear(received_.bytes()));
                }
                if (over_) {
                    return {};
                }
                close_stream();
                set(zmq_, dealer_.get(), kLinger, 0);
                return environment_problem("the trainer at " + side().endpoint +
                                           " has ended or cannot be reached any more");
            } else if ((event & kEventHandshakeFailed) != 0 &&
                       (++failures_ >= kMostFailures || event == kEventProtocolFailed)) {
                return environment_problem(
                    "the trainer at " + side().endpoint + " does not accept this worker: " +
                        (side().secret.empty() ? "TENON_KEY is not set here"
                                               : "TENON_KEY is another one there, or not set"),
                    {}, "give both the same TENON_KEY, and see that it is a trainer which listens there");
            }
        }
        return {};
    }

    Status await_door() {
        const auto waited = Clock::now() - waits_since_;
        if (waited >= visit_.limit) {
            return environment_problem("no trainer has answered at " + side().endpoint + " within " +
                                       std::to_string(visit_.limit.count() / 1000) + " s (TENON_WAIT)");
        }
        if (waited >= kPatience && !tells_) {
            tells_ = true;
            visit_.tell("waits for a trainer at " + side().endpoint);
        }
        return {};
    }

    const Library& zmq_;
    const Visit& visit_;
    Socket dealer_;
    Socket monitor_;
    Stream stream_;
    Received received_;
    Clock::time_point waits_since_ = {};
    std::optional<Clock::time_point> spare_since_;
    bool has_connected_ = false;
    bool is_known_ = false;  // the door has answered
    bool greets_ = false;    // once the connection takes messages
    bool tells_ = false;
    bool over_ = false;
    int failures_ = 0;
};

}  // namespace

Status visit(const Visit& visit) {
    const Library* const zmq = TENON_TRY(library());
    const Context context(zmq->ctx_new());
    if (context == nullptr) {
        return environment_problem("ZeroMQ cannot be started: " + last_error(*zmq));
    }
    return Visitor(*zmq, visit).stay(context.get());
}

}  // namespace tenon::zmq
