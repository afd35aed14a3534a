// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/meeting.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "engines/link_zmq/hello.hpp"
#include "engines/link_zmq/socket.hpp"

namespace tenon::zmq {
namespace {

constexpr auto kHelloAgain = std::chrono::milliseconds(300);
constexpr auto kSilence = std::chrono::seconds(3);  // who waits and has said no hello for so long has ended
constexpr std::chrono::milliseconds kLatePatience = std::chrono::seconds(15);  // by then a lost connection has ended

long left_ms(Clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    return static_cast<long>(std::clamp<std::int64_t>(left, 0, 100));
}

constexpr int kRefusedConnections = 0x0800 | 0x2000 | 0x4000;  // events of a handshake that has failed

// Tells of connections that are refused because one side has no key, or another one.
class Refusals {
public:
    Refusals(const Library& zmq, void* context, void* of, const char* endpoint)
        : zmq_(zmq), of_(of), monitor_(zmq.socket(context, kPair)) {
        zmq.monitor(of, endpoint, kRefusedConnections);
        set(zmq, monitor_.get(), kLinger, 0);
        zmq.connect(monitor_.get(), endpoint);
    }
    Refusals(const Refusals&) = delete;
    Refusals& operator=(const Refusals&) = delete;
    ~Refusals() { zmq_.monitor(of_, nullptr, 0); }

    void tell_once(const Meeting& meeting, const std::string& what) {
        Received event(zmq_);
        if (!told_ && event.take(monitor_.get())) {
            told_ = true;
            if (meeting.tell) {
                meeting.tell("at " + meeting.endpoint + " " + what);
            }
        }
    }

private:
    const Library& zmq_;
    void* of_;
    Socket monitor_;
    bool told_ = false;
};

std::string what_to_compare(const Meeting& meeting) {
    return meeting.endpoint.starts_with("tcp://")
               ? "start all shards with the same MASTER_ADDR, MASTER_PORT and TENON_KEY, on machines that may connect "
                 "to each other"
               : "start all shards with the same MASTER_ADDR";
}

class Host {
public:
    Host(const Library& zmq, const Meeting& meeting) : zmq_(zmq), meeting_(meeting), guests_(meeting.count) {}

    Result<Endpoints> receive(void* context, const std::optional<Keys>& keys, const std::vector<std::string>& own,
                              LateGuests& late) {
        Socket router(zmq_.socket(context, kRouter));
        TENON_TRY(use_keys(zmq_, router.get(), keys, true));
        set(zmq_, router.get(), kLinger, 2000);
        const std::string& met = meeting_.endpoint;
        const std::string bound =
            met.starts_with("tcp://") ? where_to_bind(meeting_, met.substr(met.rfind(':') + 1)) : met;
        if (zmq_.bind(router.get(), bound.c_str()) != 0) {
            return environment_problem(shard(0, meeting_.count) + " (" + meeting_.name +
                                       ") cannot wait for the others at " + meeting_.endpoint + ": " +
                                       last_error(zmq_));
        }
        if (meeting_.failed != nullptr) {
            return refuse(router.get(), said_by(0, meeting_.count, meeting_.name, *meeting_.failed));
        }
        Refusals refusals(zmq_, context, router.get(), "inproc://refusals");
        const Socket visitor = TENON_TRY(visit_itself(context, keys));
        const auto end = Clock::now() + meeting_.limit;
        while (!all_are_here()) {
            if (Clock::now() >= end) {
                Problem why = environment_problem(missing(), {}, what_to_compare(meeting_));
                TENON_TRY(tell_all(router.get(), std::string(kRefused) + "\n" + lines_of(why)));
                return why;
            }
            if (const std::string why = meeting_.given_up ? meeting_.given_up() : ""; !why.empty()) {
                return refuse(router.get(), environment_problem(why));
            }
            PollItem item{.socket = router.get()};
            zmq_.poll(&item, 1, left_ms(end));
            if (Status heard = hear(router.get()); !heard) {
                return refuse(router.get(), std::move(heard).error());
            }
            if (Received answer(zmq_); visitor != nullptr && answer.take(visitor.get())) {
                if (std::optional<Problem> why = refusal(text(answer.bytes()))) {
                    return refuse(router.get(), *std::move(why));
                }
            }
            refusals.tell_once(
                meeting_, "a connection is refused: who has come has another TENON_KEY, or is no shard of this run");
        }
        Endpoints out(meeting_.count);
        out.front() = own;
        std::string table(kTable);
        for (std::size_t rank = 0; rank < meeting_.count; ++rank) {
            out[rank] = rank == 0 ? own : guests_[rank].endpoints;
            for (const std::string& endpoint : out[rank]) {
                table += "\n" + std::to_string(rank) + "\n" + endpoint;
            }
        }
        TENON_TRY(tell_all(router.get(), table));
        late.socket = std::move(router);
        late.names.push_back(meeting_.name);
        for (std::size_t rank = 1; rank < meeting_.count; ++rank) {
            late.names.push_back(guests_[rank].name);
        }
        return out;
    }

private:
    // If MASTER_ADDR is another machine, the process 0 of that one hears this hello, and says that there are two.
    Result<Socket> visit_itself(void* context, const std::optional<Keys>& keys) {
        if (!meeting_.endpoint.starts_with("tcp://")) {
            return Socket();
        }
        Socket out(zmq_.socket(context, kDealer));
        TENON_TRY(use_keys(zmq_, out.get(), keys, false));
        set(zmq_, out.get(), kLinger, 0);
        zmq_.connect(out.get(), meeting_.endpoint.c_str());
        TENON_TRY(send(zmq_, out.get(), hello_of(meeting_, {}), kDontWait));
        return out;
    }

    [[nodiscard]] std::string missing() const {
        std::string who;
        for (std::size_t rank = 1; rank < meeting_.count; ++rank) {
            who += guests_[rank].id.empty() ? (who.empty() ? "" : ", ") + std::to_string(rank) : "";
        }
        return "of " + std::to_string(meeting_.count) + " shards, number " + who + " has not come to " +
               meeting_.endpoint + " within " + std::to_string(meeting_.limit.count() / 1000) + " s";
    }

    Status tell_all(void* router, const std::string& message) {
        for (const Guest& guest : guests_) {
            if (!guest.id.empty()) {
                TENON_TRY(send(zmq_, router, guest.id, kMore));
                TENON_TRY(send(zmq_, router, message));
            }
        }
        return {};
    }

    // Tells all that have come, and for a while those that come later.
    Problem refuse(void* router, Problem why) {
        (void)tell_all(router, std::string(kRefused) + "\n" + lines_of(why));
        const auto end = Clock::now() + meeting_.parting;
        while (Clock::now() < end && std::ranges::any_of(guests_.begin() + 1, guests_.end(), is_missing)) {
            PollItem item{.socket = router};
            zmq_.poll(&item, 1, left_ms(end));
            while (std::optional<Hello> hello = take_hello(zmq_, router)) {
                (void)refuse_one(zmq_, router, hello->guest.id, why);
                guests_[std::min(hello->rank, guests_.size() - 1)] = std::move(hello->guest);
            }
        }
        return why;
    }

    static bool is_missing(const Guest& guest) { return guest.id.empty(); }

    // Whether all have come and are still waiting. Forgets those that have ended since.
    bool all_are_here() {
        bool all = true;
        for (std::size_t rank = 1; rank < guests_.size(); ++rank) {
            Guest& guest = guests_[rank];
            const auto silent = Clock::now() - guest.heard;
            if (!is_missing(guest) && silent >= kSilence) {
                guest = {};
            }
            const bool may_be_a_second = !guest.before.empty() && Clock::now() - guest.since < 3 * kHelloAgain;
            all = all && !is_missing(guest) && silent < 3 * kHelloAgain && !may_be_a_second;
        }
        return all;
    }

    // Takes every hello that has come. One with another name than the one before is of a process that takes its place,
    // such as one that a launcher has restarted; if the one before says hello again, it has not ended.
    Status hear(void* router) {
        while (std::optional<Hello> hello = take_hello(zmq_, router)) {
            const auto& [rank, count, guest, failed] = *hello;
            if (rank == 0 && guest.name == meeting_.name) {
                continue;
            }
            const bool known = rank > 0 && rank < meeting_.count && count == meeting_.count;
            if (known && failed) {
                guests_[rank] = guest;
                return said_by(rank, count, guest.name, *failed);
            }
            const Guest before = known ? guests_[rank] : Guest{};
            if (known && before.before != guest.name) {
                const bool is_new = !is_missing(before) && before.name != guest.name;
                guests_[rank] = std::move(hello->guest);
                guests_[rank].before = is_new ? before.name : before.before;
                guests_[rank].since = is_new ? Clock::now() : before.since;
                continue;
            }
            Problem why =
                input_problem(count != meeting_.count
                                  ? guest.name + " says that the run has " + std::to_string(count) + " shards, but " +
                                        meeting_.name + " says " + std::to_string(meeting_.count)
                                  : "two processes are " + shard(rank, count) + ": " +
                                        (rank == 0 ? meeting_.name : before.name) + ", and " + guest.name);
            TENON_TRY(refuse_one(zmq_, router, guest.id, why));
            return why;
        }
        return {};
    }

    const Library& zmq_;
    const Meeting& meeting_;
    std::vector<Guest> guests_;  // by rank; without id: it has not come
};

Result<Endpoints> visit(const Library& zmq, void* context, const Meeting& meeting, const std::optional<Keys>& keys,
                        const std::vector<std::string>& own) {
    const Socket dealer(zmq.socket(context, kDealer));
    TENON_TRY(use_keys(zmq, dealer.get(), keys, false));
    set(zmq, dealer.get(), kLinger, 0);
    set(zmq, dealer.get(), kReconnectMs, 20);
    if (zmq.connect(dealer.get(), meeting.endpoint.c_str()) != 0) {
        return environment_problem(shard(meeting.rank, meeting.count) + " (" + meeting.name + ") cannot connect to " +
                                   meeting.endpoint + ": " + last_error(zmq));
    }
    const std::string hello = hello_of(meeting, own);
    Refusals refusals(zmq, context, dealer.get(), "inproc://refusals");
    TENON_TRY(send(zmq, dealer.get(), hello));
    const auto end = Clock::now() + meeting.limit;
    auto again = Clock::now() + kHelloAgain;
    Received answer(zmq);
    while (!answer.take(dealer.get())) {
        if (Clock::now() >= end) {
            return environment_problem(shard(0, meeting.count) + " has not answered " +
                                           shard(meeting.rank, meeting.count) + " (" + meeting.name + ") at " +
                                           meeting.endpoint + " within " +
                                           std::to_string(meeting.limit.count() / 1000) + " s",
                                       {}, what_to_compare(meeting));
        }
        if (const std::string why = meeting.given_up ? meeting.given_up() : ""; !why.empty()) {
            return environment_problem(why);
        }
        if (Clock::now() >= again) {  // process 0 may have died and come again since
            (void)send(zmq, dealer.get(), hello, kDontWait);
            again = Clock::now() + kHelloAgain;
        }
        refusals.tell_once(meeting, "the connection of " + shard(meeting.rank, meeting.count) + " (" + meeting.name +
                                        ") is refused: who waits there has another TENON_KEY, or is no shard");
        PollItem item{.socket = dealer.get()};
        zmq.poll(&item, 1, left_ms(end));
    }
    const std::string message(text(answer.bytes()));
    if (const std::optional<Problem> why = refusal(message)) {
        return meeting.failed == nullptr ? *why : *meeting.failed;
    }
    const std::vector<std::string> lines = lines_of(message);
    Endpoints out(meeting.count);
    for (std::size_t i = 1; i + 1 < lines.size(); i += 2) {
        const auto rank = number(lines[i]);
        if (rank && *rank < meeting.count) {
            out[*rank].push_back(lines[i + 1]);
        }
    }
    return out;
}

}  // namespace

std::string where_to_bind(const Meeting& meeting, const std::string& port) {
    const std::string_view start = "tcp://";
    const std::string host = meeting.endpoint.substr(start.size(), meeting.endpoint.rfind(':') - start.size());
    const std::string interface = host == "localhost"                                  ? "127.0.0.1"
                                  : host.starts_with("127.") || meeting.secret.empty() ? host
                                                                                       : "*";
    return std::string(start) + interface + ":" + port;
}

void answer_late(const Library& zmq, const Meeting& meeting, LateGuests& late) {
    while (const std::optional<Hello> hello = take_hello(zmq, late.socket.get())) {
        const Guest& guest = hello->guest;
        const std::string& before = late.names[std::min(hello->rank, late.names.size() - 1)];
        if (before == guest.name) {
            continue;  // it has said hello again before it heard the answer
        }
        if (hello->failed) {  // it only waits to be heard
            (void)refuse_one(zmq, late.socket.get(), guest.id, *hello->failed);
            continue;
        }
        const auto now = Clock::now();
        const auto since = late.since.try_emplace(guest.name, now).first->second;
        if (now - since < std::min(kLatePatience, meeting.limit / 2)) {
            continue;
        }
        const std::string both =
            hello->rank >= meeting.count || hello->count != meeting.count
                ? guest.name + " is shard " + std::to_string(hello->rank) + " of " + std::to_string(hello->count)
                : "two processes are " + shard(hello->rank, meeting.count) + ": " + before + ", and " + guest.name;
        (void)refuse_one(zmq, late.socket.get(), guest.id,
                         input_problem(both + ", which has come to " + meeting.endpoint + " after the run of " +
                                       meeting.name + " began"));
    }
}

Result<Endpoints> meet(const Library& zmq, void* context, const Meeting& meeting, const std::optional<Keys>& keys,
                       const std::vector<std::string>& own, LateGuests& late) {
    return meeting.rank == 0 ? Host(zmq, meeting).receive(context, keys, own, late)
                             : visit(zmq, context, meeting, keys, own);
}

}  // namespace tenon::zmq
