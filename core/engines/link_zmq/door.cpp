// SPDX-License-Identifier: Apache-2.0
// The side that waits: a thread moves the bytes of all streams, by one socket.
#include "engines/link_zmq/door.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "engines/link_zmq/address.hpp"
#include "engines/link_zmq/stream.hpp"
#include "engines/process/socket_pair.hpp"

namespace tenon::zmq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long kDoorGlanceMs = 1000;
// A monitor tells that some connection has ended, not whose, and a little before messages to it fail. So for some time
// all guests are sent messages without a meaning.
constexpr long kProbeMs = 10;
constexpr auto kProbed = std::chrono::seconds(1);
constexpr std::size_t kMostNotices = 20;
constexpr int kMessagesAtOnce = 64;  // so that streams are served, too

struct Inside {
    std::string name;
    Stream stream;
};

class ZmqDoor final : public Door {
public:
    ZmqDoor(const Library& zmq, Context context, DoorSide side)
        : zmq_(zmq), context_(std::move(context)), side_(std::move(side)) {}

    ~ZmqDoor() override {
        if (thread_.joinable()) {
            {
                const std::lock_guard lock(mutex_);
                closes_ = true;
            }
            wake();
            thread_.join();
        }
        for (DoorGuest& guest : taken_) {
            ::close(guest.stream);
        }
        ::close(bell_);
    }

    Status open() {
        const std::string endpoint = TENON_TRY(numeric(side_.endpoint, std::chrono::milliseconds(0)));
        router_ = TENON_TRY(door_socket(zmq_, context_.get(), kRouter, side_, true));
        set(zmq_, router_.get(), kRouterMandatory, 1);
        monitor_ = TENON_TRY(watch(zmq_, context_.get(), router_.get(), kEventDisconnected | kEventHandshakeFailed));
        if (zmq_.bind(router_.get(), endpoint.c_str()) != 0) {
            return environment_problem("the trainer cannot wait for workers at " + side_.endpoint + ": " +
                                       last_error(zmq_));
        }
        std::array<char, 256> bound{};
        std::size_t size = bound.size();
        zmq_.getsockopt(router_.get(), kLastEndpoint, bound.data(), &size);
        if (side_.endpoint.starts_with("tcp://")) {
            const std::string_view port =
                std::string_view(bound.data()).substr(std::string_view(bound.data()).rfind(':'));
            side_.endpoint = side_.endpoint.substr(0, side_.endpoint.rfind(':')) + std::string(port);
        }
        bell_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (bell_ < 0) {
            return environment_problem(std::string("no event can be made: ") + std::strerror(errno));
        }
        thread_ = std::thread([this] { serve(); });
        return {};
    }

    Result<std::optional<DoorGuest>> take(std::chrono::milliseconds limit) override {
        std::unique_lock lock(mutex_);
        wants_ = true;
        wake();
        came_.wait_for(lock, limit, [this] { return !taken_.empty() || !failure_.empty(); });
        wants_ = false;
        if (!failure_.empty()) {
            return environment_problem(failure_);
        }
        if (taken_.empty()) {
            return std::optional<DoorGuest>();
        }
        DoorGuest out = std::move(taken_.front());
        taken_.pop_front();
        return std::optional(std::move(out));
    }

    std::vector<std::string> take_notices() override {
        const std::lock_guard lock(mutex_);
        return std::exchange(notices_, {});
    }

    [[nodiscard]] std::string endpoint() const override { return side_.endpoint; }

private:
    void wake() const {
        const std::uint64_t one = 1;
        (void)!::write(bell_, &one, sizeof one);
    }

    void tell(const std::string& notice) {
        const std::lock_guard lock(mutex_);
        if (told_.size() < kMostNotices && told_.insert(notice).second) {
            notices_.push_back(notice);
        }
    }

    // False: nobody has this id any more.
    bool send(const std::string& id, std::span<const std::byte> message) {
        return zmq_.send(router_.get(), id.data(), id.size(), kMore | kDontWait) >= 0 &&
               zmq_.send(router_.get(), message.data(), message.size(), kDontWait) >= 0;
    }
    bool send(const std::string& id, DoorWord word, const std::string& text = {}) {
        const std::string message = static_cast<char>(word) + text;
        return send(id, std::as_bytes(std::span(message)));
    }

    void serve() {
        bool closes = false;
        while (!closes) {
            const bool probes = Clock::now() < probed_until_;
            items_ = {{.socket = router_.get()}, {.socket = monitor_.get()}, {.fd = bell_}};
            polled_.clear();
            for (auto& [id, guest] : inside_) {
                if (guest.stream.is_open()) {
                    items_.push_back(guest.stream.item());
                    polled_.push_back(&id);
                }
            }
            zmq_.poll(items_.data(), static_cast<int>(items_.size()), probes ? kProbeMs : kDoorGlanceMs);
            std::uint64_t rings = 0;
            (void)!::read(bell_, &rings, sizeof rings);
            for (std::size_t i = 0; i < polled_.size(); ++i) {
                serve_stream(*polled_[i], items_[i + 3].revents);
            }
            for (int i = 0; i < kMessagesAtOnce && hear(); ++i) {
            }
            hear_events();
            if (probes) {
                probe();
            }
            closes = match();
        }
        for (auto& [id, guest] : inside_) {
            (void)send(id, DoorWord::kEnd);
        }
        inside_.clear();
        zmq_.monitor(router_.get(), nullptr, 0);
        monitor_.reset();
        router_.reset();
    }

    void serve_stream(const std::string& id, short events) {
        Stream& stream = inside_.at(id).stream;
        if ((events & kPollOut) != 0) {
            stream.flush();
        }
        if ((events & ~kPollOut) != 0 && stream.is_open()) {
            const std::span<const std::byte> message = stream.read();
            if (!stream.is_open()) {
                (void)send(id, DoorWord::kClosed);
            } else if (!message.empty() && !send(id, message)) {
                stream.close();
            }
        }
    }

    // Takes one message; false: there is none.
    bool hear() {
        Received part(zmq_);
        if (!part.take(router_.get())) {
            return false;
        }
        const std::string id(reinterpret_cast<const char*>(part.bytes().data()), part.bytes().size());
        while (part.has_more() && part.take(router_.get())) {
        }
        const std::span<const std::byte> bytes = part.bytes();
        const auto word = bytes.empty() ? DoorWord::kNothing : static_cast<DoorWord>(bytes.front());
        const auto inside = inside_.find(id);
        if (word == DoorWord::kWaits) {
            greet(id, std::string(reinterpret_cast<const char*>(bytes.data()) + 1, bytes.size() - 1));
        } else if (inside == inside_.end()) {
            tell("what has connected to " + side_.endpoint + " is no worker of Tenon");
        } else if (word == DoorWord::kBytes && inside->second.stream.is_open()) {
            inside->second.stream.write(bytes.subspan(1));
            if (!inside->second.stream.is_open()) {  // nobody reads any more
                (void)send(id, DoorWord::kClosed);
            }
        } else if (word == DoorWord::kClosed && inside->second.stream.is_open()) {
            inside->second.stream.finish();
        }
        return true;
    }

    void greet(const std::string& id, const std::string& hello) {
        std::array<std::string, 4> lines;  // kDoorHello, build, level, name
        std::size_t at = 0;
        for (std::string& line : lines) {
            const std::size_t end = std::min(hello.find('\n', at), hello.size());
            line = hello.substr(std::min(at, hello.size()), end - std::min(at, hello.size()));
            at = end + 1;
        }
        const bool is_known = lines[0] == kDoorHello;
        std::string why;
        if (!is_known || lines[1] != side_.build) {
            why = "the Tenon of " + (is_known ? lines[3] : "a worker") +
                  " is another build than that of the trainer (" + side_.name +
                  "): install the same one on both machines";
        } else if ((lines[2] == "base") != (side_.level == "base")) {
            why = lines[3] + " has the vector instructions '" + lines[2] + "', and the trainer (" + side_.name + ") '" +
                  side_.level + "', which round otherwise: use processors with AVX2, or set TENON_LEVEL=base for both";
        }
        if (!why.empty()) {
            (void)send(id, DoorWord::kDenied, why);
            tell("a worker was refused: " + why);
            return;
        }
        inside_.insert_or_assign(id, Inside{.name = lines[3], .stream = {}});
        if (std::ranges::find(waiting_, id) == waiting_.end()) {  // a stranger may greet again and again
            waiting_.push_back(id);
        }
        const std::lock_guard lock(mutex_);
        if (!wants_) {
            (void)send(id, DoorWord::kSpare);
        }
    }

    void hear_events() {
        while (const int event = next_event(zmq_, monitor_.get())) {
            if (event == kEventDisconnected) {
                probed_until_ = Clock::now() + kProbed;
            } else if ((event & kEventHandshakeFailed) != 0) {
                tell("somebody has connected to " + side_.endpoint +
                     (side_.secret.empty() ? " who is no worker of Tenon, or has a TENON_KEY, which this run has not"
                                           : " without the TENON_KEY of this run") +
                     ", and was refused");
            }
        }
    }

    void probe() {
        std::erase_if(inside_, [this](const auto& guest) { return !send(guest.first, DoorWord::kNothing); });
        std::erase_if(waiting_, [this](const std::string& id) { return !inside_.contains(id); });
    }

    // Gives the guest that has waited longest to who wants one. True: the door closes.
    bool match() {
        const std::lock_guard lock(mutex_);
        while (wants_ && taken_.empty() && !waiting_.empty()) {
            const std::string id = std::move(waiting_.front());
            waiting_.pop_front();
            const auto inside = inside_.find(id);
            if (inside == inside_.end() || !send(id, DoorWord::kTaken)) {
                continue;
            }
            const Result<std::array<int, 2>> ends = socket_pair();
            if (!ends) {
                failure_ = ends.error().sentence;
                came_.notify_all();
                break;
            }
            inside->second.stream = Stream((*ends)[0]);
            taken_.push_back({.name = inside->second.name, .stream = (*ends)[1]});
            came_.notify_all();
        }
        return closes_;
    }

    const Library& zmq_;
    Context context_;
    DoorSide side_;
    int bell_ = -1;  // wakes the thread

    // Of the thread.
    Socket router_;
    Socket monitor_;
    std::map<std::string, Inside> inside_;  // by the id of the connection
    std::deque<std::string> waiting_;       // the ids of those who wait
    Clock::time_point probed_until_ = {};
    std::vector<PollItem> items_;
    std::vector<const std::string*> polled_;
    std::set<std::string> told_;

    // Of both threads.
    std::mutex mutex_;
    std::condition_variable came_;
    bool wants_ = false;
    bool closes_ = false;
    std::deque<DoorGuest> taken_;
    std::vector<std::string> notices_;
    std::string failure_;
    std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Door>> open_door(const DoorSide& side) {
    const Library* const zmq = TENON_TRY(library());
    Context context(zmq->ctx_new());
    if (context == nullptr) {
        return environment_problem("ZeroMQ cannot be started: " + last_error(*zmq));
    }
    auto door = std::make_unique<ZmqDoor>(*zmq, std::move(context), side);
    TENON_TRY(door->open());
    return std::unique_ptr<Door>(std::move(door));
}

}  // namespace tenon::zmq
