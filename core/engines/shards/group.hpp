// SPDX-License-Identifier: Apache-2.0
// The processes of a run with shards: their messages, and the sums of their gradients.
//
// Every wait has a limit and ends when the connection to a process does. A process that fails says why to all others
// before it ends, and each of them ends with this sentence. A group in which this has happened must not be used again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/exchange.hpp"
#include "engines/shards/device_link.hpp"
#include "engines/shards/link.hpp"

namespace tenon {

struct GroupPlace {
    std::size_t rank = 0;
    std::size_t count = 1;
    std::chrono::milliseconds limit = std::chrono::hours(1);  // of every wait; evaluations are waited for, too
    // After so long a wait it tells which process it waits for, and again whenever the wait has doubled.
    std::chrono::milliseconds patience = std::chrono::seconds(5);
    std::function<void(const std::string& sentence)> tell = {};
};

// Something that all processes must have in common.
struct Common {
    std::string name;  // as in "another build than"
    std::string value;
    bool shown = false;  // whether the sentence shows both values
};

// What ended a process.
struct ShardEnd {
    std::string how = {};    // the end of a sentence; empty: nobody can tell
    bool is_killed = false;  // by a signal
};

enum class MessageKind : std::uint32_t { kCard, kVerdict, kGradients, kRound, kWord, kSaved, kLeft };

// The number of parts that are sent in advance to a process that sends as many back. More would leave the cache before
// they are sent.
inline constexpr std::size_t kPartsAhead = 4;

// Whether gradients of so many bytes are summed by halving, and how many times each process sends so many.
bool sums_by_halves(std::size_t processes, std::size_t bytes);
double sent_by_each(std::size_t processes, std::size_t bytes);

class Group final : public Exchange {
public:
    // `name`: of this process, such as "node7, process 812".
    Group(std::unique_ptr<Link> link, const GroupPlace& place, std::string name);

    // Tells the names, and compares what all must have in common. The problem is the same in all processes.
    Status meet(const std::vector<Common>& common);

    [[nodiscard]] std::size_t rank() const { return place_.rank; }
    [[nodiscard]] std::size_t count() const { return place_.count; }
    // "shard 1 of 2 (node7, process 812)".
    [[nodiscard]] std::string named(std::size_t rank) const;
    // `how` is asked when a process is gone.
    void explain_ends(std::function<ShardEnd(std::size_t rank)> how) { how_ = std::move(how); }

    // Pairs at distance 1, 2, 4 and so on exchange and add what they have; x + y is y + x, so each has the same bits.
    // Processes beyond the largest power of two add theirs to a partner first, and get the result from it.
    Status sum(ExchangeHead& head, std::span<Network* const> networks, DType real) override;

    // From now on gradients are summed on the devices, by this link.
    void link_devices(std::shared_ptr<DeviceLink> link) { device_link_ = std::move(link); }
    [[nodiscard]] bool links_devices() const override { return device_link_ != nullptr; }
    Status sum_on_device(ExchangeHead& head, std::span<Network* const> networks, DeviceSlabs& slabs) override;
    // The problem with which the group ends, if a process is gone.
    Status check();

    void distrust() override { distrusts_ = true; }
    [[nodiscard]] bool is_distrusted() const override { return is_distrusted_; }
    [[nodiscard]] bool distrusts() const { return distrusts_; }
    // Another message than that of a sum has told it to all.
    void note_distrust() { distrusts_ = is_distrusted_ = true; }

    [[nodiscard]] ExchangeTimes times() const override;
    void forget_times() override;
    // How long this process has waited, since the beginning.
    [[nodiscard]] double waited_s() const { return waits_[place_.rank]; }
    // The same of another process, which has said so.
    void note_wait(std::size_t rank, double waited_s) { waits_[rank] = waited_s; }

    Status tell(std::size_t to, MessageKind kind, std::string_view body);
    // The body of the next message of this process, which must be of this kind.
    Result<std::string> hear(std::size_t from, MessageKind kind);

    // Ends the group. `why`: what has failed in this process; null: nothing has.
    void leave(const Problem* why);
    // Whether the connection to a process has ended before it said why.
    [[nodiscard]] bool lost(std::size_t rank) const { return lost_[rank]; }

private:
    // The next message, of the kind that is expected.
    Result<std::span<const std::byte>> next(std::size_t from, MessageKind kind);
    Result<std::span<const std::byte>> await_next(std::size_t from, MessageKind kind);
    Status sum_all(ExchangeHead& head, std::span<Network* const> networks, DType real);
    Problem said_by(std::size_t rank, std::string_view last_words);
    // The body of the next message, valid until the next call.
    Result<std::string_view> next_message(std::size_t from, MessageKind expected);
    [[nodiscard]] Problem ended(std::size_t rank, const std::string& how);
    Problem last_words(std::size_t gone);
    // Why a process has left, if its message has come. Drops what came before it.
    std::optional<Problem> parting_words(std::size_t rank);
    Status send_part(std::size_t to, std::span<const std::byte> part);
    // Sends the first parts, `most` at most.
    Status send_gradients(std::size_t to, const ExchangeHead& head, std::span<Network* const> networks,
                          std::size_t most);
    // Adds the gradients of another process, or takes them instead of its own. For each part that arrives, sends its
    // own part that comes `ahead` parts later.
    Status take_gradients(std::size_t from, ExchangeHead& head, std::span<Network* const> networks, DType real,
                          bool replaces, std::size_t ahead);
    // group_halves.cpp. Sends the first parts; then, for each part that arrives, sends the next one.
    Status sum_by_halves(ExchangeHead& head, std::span<Network* const> networks, std::size_t bytes, DType real);
    Status send_ahead(std::size_t to, std::span<const std::span<std::byte>> parts);
    Status take_and_send(std::size_t other, std::span<const std::span<std::byte>> takes,
                         std::span<const std::span<std::byte>> sends, DType real, bool replaces);
    Status take_part(std::size_t from, std::byte* to, std::size_t bytes, DType real, bool replaces);

    std::unique_ptr<Link> link_;
    std::shared_ptr<DeviceLink> device_link_;  // null: gradients are summed on the host
    GroupPlace place_;
    std::vector<std::string> names_;
    std::vector<std::uint64_t> sent_;  // this and the next: messages to and from each process, to number them
    std::vector<std::uint64_t> heard_;
    std::vector<std::byte> outgoing_;
    std::vector<double> words_;  // of the head of gradients, as it is sent
    std::function<ShardEnd(std::size_t)> how_;
    std::vector<bool> lost_;
    std::vector<double> waits_;         // seconds, by process; those of others as of their latest message
    std::vector<double> waits_before_;  // when times were forgotten
    double exchange_s_ = 0;             // since then
    bool told_ = false;                 // whether the others know why the group ends
    bool distrusts_ = false;            // this process
    bool is_distrusted_ = false;        // by any process, as all know
};

}  // namespace tenon
