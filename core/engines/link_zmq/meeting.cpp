// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/meeting.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "engines/link_zmq/socket.hpp"

namespace tenon::zmq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kHelloAgain = std::chrono::milliseconds(300);
constexpr auto kSilence = std::chrono::seconds(3);  // who waits and has said no hello for so long has ended
constexpr std::chrono::milliseconds kLatePatience = std::chrono::seconds(15);  // by then a lost connection has ended

constexpr std::string_view kHello = "tenon shard 2";
constexpr std::string_view kFailed = "tenon failed 2";
constexpr std::string_view kTable = "tenon shards 2";
constexpr std::string_view kRefused = "tenon refused 2";

std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::optional<std::size_t> number(const std::string& word) {
    std::size_t out = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), out);
    return read.ec == std::errc() && read.ptr == word.data() + word.size() ? std::optional(out) : std::nullopt;
}

std::string shard(std::size_t rank, std::size_t count) {
    return "shard " + std::to_string(rank) + " of " + std::to_string(count);
}

long left_ms(Clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    return static_cast<long>(std::clamp<std::int64_t>(left, 0, 100));
}

Status send(const Library& zmq, void* socket, std::string_view message, int flags = 0) {
    return zmq.send(socket, message.data(), message.size(), flags) >= 0
               ? Status()
               : Status(environment_problem("a message to another shard cannot be sent: " + last_error(zmq)));
}

// A process that has said hello, and says it again until it is answered.
struct Guest {
    std::string id;  // of the router's connection
    std::string name;
    std::vector<std::string> endpoints;
    Clock::time_point heard = Clock::now();  // its latest hello
    std::string before = {};                 // the name of the one whose place it has taken
    Clock::time_point since = {};            // when it did that
};

struct Hello {
    std::size_t rank = 0;
    std::size_t count = 0;
    Guest guest;
    std::optional<Problem> failed = {};  // why this process takes no part
};

// A problem as lines of a message, and back.
std::string lines_of(const Problem& why) {
    std::string sentence = why.sentence;
    std::ranges::replace(sentence, '\n', ' ');
    return std::to_string(static_cast<int>(why.fault)) + "\n" + sentence;
}

Problem problem_of(const std::string& fault, const std::string& sentence) {
    Problem out = environment_problem(sentence);
    out.fault = fault == "2" ? Fault::kInput : fault == "3" ? Fault::kPlugin : Fault::kEnvironment;
    return out;
}

// The next hello that has come. What is no hello is a stranger's, and is dropped.
std::optional<Hello> take_hello(const Library& zmq, void* router) {
    Received part(zmq);
    while (part.take(router)) {
        const std::string id(text(part.bytes()));
        std::string message;
        while (part.has_more() && part.take(router)) {
            message = text(part.bytes());
        }
        std::vector<std::string> lines = lines_of(message);
        const bool has_failed = lines.size() == 6 && lines[0] == kFailed;
        if (!has_failed && (lines.size() < 4 || lines[0] != kHello)) {
            continue;
        }
        const auto rank = number(lines[1]);
        const auto count = number(lines[2]);
        if (rank && count) {
            Hello out{.rank = *rank, .count = *count, .guest = {.id = id, .name = lines[3], .endpoints = {}}};
            if (has_failed) {
                out.failed = problem_of(lines[4], lines[5]);
            } else {
                out.guest.endpoints.assign(lines.begin() + 4, lines.end());
            }
            return out;
        }
    }
    return std::nullopt;
}

Status refuse_one(const Library& zmq, void* router, const std::string& id, const Problem& why) {
    TENON_TRY(send(zmq, router, id, kMore));
    return send(zmq, router, std::string(kRefused) + "\n" + lines_of(why));
}

// What a process that has failed before it could take part says of itself to the others.
Problem said_by(std::size_t rank, std::size_t count, const std::string& name, Problem why) {
    why.sentence = shard(rank, count) + " (" + name + "): " + why.sentence;
    return why;
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
        const auto end = Clock::now() + meeting_.limit;
        while (!all_are_here()) {
            if (Clock::now() >= end) {
                const Problem why = environment_problem(missing());
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
            const Problem why =
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
    std::string hello(meeting.failed == nullptr ? kHello : kFailed);
    hello += "\n" + std::to_string(meeting.rank) + "\n" + std::to_string(meeting.count) + "\n" + meeting.name;
    for (const std::string& endpoint : own) {
        hello += "\n" + endpoint;
    }
    hello += meeting.failed == nullptr ? "" : "\n" + lines_of(*meeting.failed);
    TENON_TRY(send(zmq, dealer.get(), hello));
    const auto end = Clock::now() + meeting.limit;
    auto again = Clock::now() + kHelloAgain;
    Received answer(zmq);
    while (!answer.take(dealer.get())) {
        if (Clock::now() >= end) {
            return environment_problem(shard(0, meeting.count) + " has not answered " +
                                       shard(meeting.rank, meeting.count) + " (" + meeting.name + ") at " +
                                       meeting.endpoint + " within " + std::to_string(meeting.limit.count() / 1000) +
                                       " s");
        }
        if (const std::string why = meeting.given_up ? meeting.given_up() : ""; !why.empty()) {
            return environment_problem(why);
        }
        if (Clock::now() >= again) {  // process 0 may have died and come again since
            (void)send(zmq, dealer.get(), hello, kDontWait);
            again = Clock::now() + kHelloAgain;
        }
        PollItem item{.socket = dealer.get()};
        zmq.poll(&item, 1, left_ms(end));
    }
    const std::string message(text(answer.bytes()));
    const std::vector<std::string> lines = lines_of(message);
    if (lines.size() == 3 && lines[0] == kRefused) {
        return meeting.failed == nullptr ? problem_of(lines[1], lines[2]) : *meeting.failed;
    }
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
