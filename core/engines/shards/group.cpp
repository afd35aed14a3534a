// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/group.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include "base/error/listed.hpp"
#include "compute/exec/device_slabs.hpp"
#include "engines/shards/add.hpp"
#include "engines/shards/gradient_parts.hpp"

namespace tenon {
namespace {

constexpr std::array<char, 4> kMagic = {'T', 'N', 'G', '1'};
constexpr std::size_t kAllParts = std::numeric_limits<std::size_t>::max();
constexpr std::chrono::milliseconds kLeaving = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kGrace = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kGlance = std::chrono::milliseconds(10);
constexpr std::chrono::milliseconds kWordsPatience = std::chrono::milliseconds(200);
constexpr std::chrono::milliseconds kWordsGlance = std::chrono::milliseconds(1);

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
}

constexpr std::size_t kHeadWords = 2;  // gathered, distrusting

// Before the body of every message but parts of gradients.
struct Header {
    std::array<char, 4> magic = kMagic;
    MessageKind kind = MessageKind::kLeft;
    std::uint64_t number = 0;
};

bool is_message(std::span<const std::byte> bytes) {
    return bytes.size() >= sizeof(Header) && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The texts between zeros.
std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> out(1);
    for (const char letter : text) {
        if (letter == '\0') {
            out.emplace_back();
        } else {
            out.back() += letter;
        }
    }
    return out;
}

// The first line of a text of several lines that is another one in the other text, as the end of a sentence.
std::string first_difference(std::string_view theirs, std::string_view mine) {
    constexpr std::size_t kMost = 40;
    const auto take_line = [](std::string_view& text) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        return line.size() <= kMost ? std::string(line) : std::string(line.substr(0, kMost)) + "...";
    };
    if (theirs.find('\n') == std::string_view::npos || mine.find('\n') == std::string_view::npos) {
        return "";
    }
    std::string table;  // of a TOML file
    std::string left;
    std::string right;
    do {
        table = left.starts_with('[') ? left + " " : table;
        left = take_line(theirs);
        right = take_line(mine);
    } while (left == right && !(theirs.empty() && mine.empty()));
    return left == right
               ? ""
               : ": " + table + (left.empty() ? "nothing" : left) + ", not " + (right.empty() ? "nothing" : right);
}

std::string_view doing(MessageKind kind) {
    switch (kind) {
        case MessageKind::kCard:
        case MessageKind::kVerdict:
            return "begins";
        case MessageKind::kGradients:
            return "makes an update";
        case MessageKind::kRound:
            return "has ended its round";
        case MessageKind::kWord:
        case MessageKind::kSaved:
            return "is between two rounds";
        case MessageKind::kLeft:
            break;
    }
    return "has ended";
}

}  // namespace

Group::Group(std::unique_ptr<Link> link, const GroupPlace& place, std::string name)
    : link_(std::move(link)),
      place_(place),
      names_(place.count),
      sent_(place.count),
      heard_(place.count),
      lost_(place.count),
      waits_(place.count),
      waits_before_(place.count) {
    names_[place_.rank] = std::move(name);
}

std::string Group::named(std::size_t rank) const {
    return "shard " + std::to_string(rank) + " of " + std::to_string(place_.count) +
           (names_[rank].empty() ? "" : " (" + names_[rank] + ")");
}

Problem Group::ended(std::size_t rank, const std::string& how) {
    lost_[rank] = true;
    return environment_problem(named(rank) + (how.empty() ? " has ended or cannot be reached any more" : " " + how));
}

// The first letter is the fault. What a process says about another one needs no name of its own.
Problem Group::said_by(std::size_t rank, std::string_view last_words) {
    told_ = true;
    const std::string sentence(last_words.substr(std::min<std::size_t>(1, last_words.size())));
    Problem out = environment_problem(sentence.starts_with("shard ") ? sentence : named(rank) + ": " + sentence);
    if (!last_words.empty() && last_words[0] >= '2' && last_words[0] <= '4') {
        out.fault = static_cast<Fault>(last_words[0] - '0');
    }
    return out;
}

// Waits for the next message of a process. If another process is gone meanwhile, the awaited message may still come and
// give the reason, or say that the run has ended; so this goes on waiting for a while.
Result<std::span<const std::byte>> Group::await_next(std::size_t from, MessageKind kind) {
    const auto began = Clock::now();
    auto end = began + place_.limit;
    auto tells_at = began + place_.patience;
    std::optional<std::size_t> gone;
    for (;;) {
        if (const auto message = link_->receive(from)) {
            return *message;
        }
        const auto now = Clock::now();
        if (gone && (gone == from || now >= end)) {
            return last_words(*gone);
        }
        if (now >= end) {
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(place_.limit).count();
            return environment_problem(named(from) + " has said nothing for " + std::to_string(seconds) + " s, while " +
                                       named(place_.rank) + " waits for it");
        }
        // Between two rounds shard 0 may evaluate or save.
        if (now >= tells_at && place_.tell && kind != MessageKind::kWord) {
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - began).count();
            place_.tell(named(place_.rank) + " has waited for " + std::to_string(seconds) + " s for " + named(from));
            tells_at = now + (now - began);
        }
        if (!gone) {
            gone = link_->gone();
            if (gone) {
                end = std::min(end, now + kGrace);
                continue;  // a message that came before the end can still be received
            }
        }
        const auto until = place_.tell && tells_at > now ? std::min(end, tells_at) : end;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
        link_->wait(from, gone ? std::min(left, kGlance) : left);
        gone = gone && link_->gone() == from ? from : gone;
    }
}

Result<std::span<const std::byte>> Group::next(std::size_t from, MessageKind kind) {
    std::optional<std::span<const std::byte>> message = link_->receive(from);
    if (!message) {
        const auto began = Clock::now();
        message = TENON_TRY(await_next(from, kind));
        waits_[place_.rank] += seconds_since(began);
    }
    ++heard_[from];
    return *message;
}

std::optional<Problem> Group::parting_words(std::size_t rank) {
    while (const auto last = link_->receive(rank)) {
        Header header;
        if (!is_message(*last)) {
            continue;
        }
        std::memcpy(&header, last->data(), sizeof header);
        if (header.kind == MessageKind::kLeft) {
            return said_by(rank, text(last->subspan(sizeof header)));
        }
    }
    return std::nullopt;
}

// The problem with which the group ends after a process is gone. It may have ended because of another process, whose
// reason may arrive a moment later, by another connection. A process that was killed ended for no such reason.
Problem Group::last_words(std::size_t gone) {
    const ShardEnd how = how_ ? how_(gone) : ShardEnd();
    const bool may_explain = place_.count > 2 && !how.is_killed;
    const auto end = Clock::now() + (may_explain ? kWordsPatience : std::chrono::milliseconds(0));
    do {
        for (std::size_t rank = 0; rank < place_.count; ++rank) {
            if (std::optional<Problem> said = rank == place_.rank ? std::nullopt : parting_words(rank)) {
                return *std::move(said);
            }
        }
        std::this_thread::sleep_for(kWordsGlance);
    } while (Clock::now() < end);
    return ended(gone, how.how);
}

Result<std::string_view> Group::next_message(std::size_t from, MessageKind expected) {
    const std::span<const std::byte> bytes = TENON_TRY(next(from, expected));
    Header header;
    if (!is_message(bytes)) {
        return environment_problem(named(from) + " sent gradients when " + named(place_.rank) + " expected none");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::string_view body = text(bytes.subspan(sizeof header));
    if (header.kind == MessageKind::kLeft) {
        return said_by(from, body);
    }
    if (header.kind != expected) {
        return environment_problem("the shards have come apart: " + named(from) + " " +
                                   std::string(doing(header.kind)) + ", while " + named(place_.rank) + " " +
                                   std::string(doing(expected)));
    }
    if (header.number != heard_[from]) {
        return environment_problem("a message of " + named(from) + " is lost");
    }
    return body;
}

Status Group::tell(std::size_t to, MessageKind kind, std::string_view body) {
    const Header header{.magic = kMagic, .kind = kind, .number = ++sent_[to]};
    outgoing_.resize(sizeof header + body.size());
    std::memcpy(outgoing_.data(), &header, sizeof header);
    std::memcpy(outgoing_.data() + sizeof header, body.data(), body.size());
    return link_->send(to, outgoing_);
}

Result<std::string> Group::hear(std::size_t from, MessageKind kind) {
    return std::string(TENON_TRY(next_message(from, kind)));
}

Status Group::meet(const std::vector<Common>& common) {
    std::string card = names_[place_.rank];
    for (const Common& each : common) {
        card += '\0' + each.value;
    }
    if (place_.rank != 0) {
        TENON_TRY(tell(0, MessageKind::kCard, card));
        const std::vector<std::string> verdict = split(TENON_TRY(hear(0, MessageKind::kVerdict)));
        if (verdict.size() != names_.size() + 1) {
            return environment_problem(named(0) + " sent an incomplete message");
        }
        std::copy_n(verdict.begin(), names_.size(), names_.begin());
        told_ = !verdict.back().empty();
        return told_ ? Status(input_problem(verdict.back())) : Status();
    }
    std::string wrong;
    for (std::size_t rank = 1; rank < place_.count; ++rank) {
        const std::vector<std::string> theirs = split(TENON_TRY(hear(rank, MessageKind::kCard)));
        names_[rank] = theirs.front();
        for (std::size_t i = 0; i < common.size() && wrong.empty(); ++i) {
            const Common& mine = common[i];
            const std::string value = i + 1 < theirs.size() ? theirs[i + 1] : "";
            if (value != mine.value) {
                wrong = named(rank) + " has another " + mine.name + " than " + named(0) +
                        (mine.shown ? ": " + value + ", not " + mine.value : first_difference(value, mine.value));
            }
        }
    }
    std::string verdict;
    for (const std::string& name : names_) {
        verdict += name + '\0';
    }
    for (std::size_t rank = 1; rank < place_.count; ++rank) {
        TENON_TRY(tell(rank, MessageKind::kVerdict, verdict + wrong));
    }
    told_ = !wrong.empty();
    return told_ ? Status(input_problem(wrong)) : Status();
}

Status Group::send_part(std::size_t to, std::span<const std::byte> part) {
    ++sent_[to];
    return link_->send(to, part);
}

Status Group::send_gradients(std::size_t to, const ExchangeHead& head, std::span<Network* const> networks,
                             std::size_t most) {
    words_.resize(kHeadWords + head.numbers.size());
    words_[0] = static_cast<double>(head.gathered);
    words_[1] = head.distrusting;
    std::ranges::copy(head.numbers, words_.begin() + kHeadWords);
    TENON_TRY(tell(to, MessageKind::kGradients,
                   {reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof(double)}));
    const std::vector<std::span<std::byte>> parts = parts_in(networks, all_gradients(networks));
    for (std::size_t i = 0; head.gathered > 0 && i < std::min(most, parts.size()); ++i) {
        TENON_TRY(send_part(to, parts[i]));
    }
    return {};
}

Status Group::take_part(std::size_t from, std::byte* to, std::size_t bytes, DType real, bool replaces) {
    const std::span<const std::byte> part = TENON_TRY(next(from, MessageKind::kGradients));
    if (part.size() != bytes) {
        return environment_problem(named(from) + " sent other gradients than " + named(place_.rank) + " has");
    }
    if (replaces) {
        std::memcpy(to, part.data(), bytes);
    } else if (real == DType::kF64) {
        add_bytes<double>(to, part.data(), bytes);
    } else {
        add_bytes<float>(to, part.data(), bytes);
    }
    return {};
}

Status Group::take_gradients(std::size_t from, ExchangeHead& head, std::span<Network* const> networks, DType real,
                             bool replaces, std::size_t ahead) {
    const std::string_view body = TENON_TRY(next_message(from, MessageKind::kGradients));
    words_.resize(kHeadWords + head.numbers.size());
    if (body.size() != words_.size() * sizeof(double)) {
        return environment_problem("the shards have come apart: " + named(from) + " sent " +
                                   std::to_string(body.size()) + " bytes with its gradients, and " +
                                   named(place_.rank) + " expected " + std::to_string(words_.size() * sizeof(double)));
    }
    std::memcpy(words_.data(), body.data(), body.size());
    const auto gathered = static_cast<std::int64_t>(words_[0]);
    head.distrusting = words_[1] + (replaces ? 0 : head.distrusting);
    for (std::size_t i = 0; i < head.numbers.size(); ++i) {
        head.numbers[i] = words_[kHeadWords + i] + (replaces ? 0 : head.numbers[i]);
    }
    const bool takes = replaces || head.gathered == 0;
    const std::vector<std::span<std::byte>> parts = parts_in(networks, all_gradients(networks));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        TENON_TRY(gathered > 0 ? take_part(from, parts[i].data(), parts[i].size(), real, takes) : Status());
        if (head.gathered > 0 && ahead < parts.size() - i) {
            TENON_TRY(send_part(from, parts[i + ahead]));
        }
    }
    head.gathered = gathered + (replaces ? 0 : head.gathered);
    return {};
}

ExchangeTimes Group::times() const {
    ExchangeTimes out{.exchange_s = exchange_s_, .wait_s = waits_[place_.rank] - waits_before_[place_.rank]};
    const auto wait_of = [&](std::size_t rank) { return waits_[rank] - waits_before_[rank]; };
    for (std::size_t rank = 1; rank < place_.count; ++rank) {
        out.slowest = wait_of(rank) < wait_of(out.slowest) ? rank : out.slowest;
    }
    return out;
}

void Group::forget_times() {
    waits_before_ = waits_;
    exchange_s_ = 0;
}

Status Group::sum(ExchangeHead& head, std::span<Network* const> networks, DType real) {
    const auto began = Clock::now();
    const double waited = waits_[place_.rank];
    head.distrusting = distrusts_ ? 1 : 0;
    TENON_TRY(sum_all(head, networks, real));
    is_distrusted_ = is_distrusted_ || head.distrusting > 0;
    exchange_s_ += seconds_since(began) - (waits_[place_.rank] - waited);
    return {};
}

Status Group::sum_on_device(ExchangeHead& head, std::span<Network* const> networks, DeviceSlabs& slabs) {
    const auto began = Clock::now();
    TENON_TRY(head.gathered > 0 ? slabs.sum_gradients(networks, *device_link_) : Status());
    head.gathered *= static_cast<std::int64_t>(place_.count);
    exchange_s_ += seconds_since(began);
    return {};
}

Status Group::check() {
    const std::optional<std::size_t> gone = link_->gone();
    return gone ? Status(last_words(*gone)) : Status();
}

Status Group::sum_all(ExchangeHead& head, std::span<Network* const> networks, DType real) {
    const std::size_t paired = std::bit_floor(place_.count);
    const std::size_t me = place_.rank;
    if (me >= paired) {
        TENON_TRY(send_gradients(me - paired, head, networks, kAllParts));
        return take_gradients(me - paired, head, networks, real, true, kAllParts);
    }
    const std::size_t beyond = me + paired;
    TENON_TRY(beyond < place_.count ? take_gradients(beyond, head, networks, real, false, kAllParts) : Status());
    if (const std::size_t bytes = all_gradients(networks).end; sums_by_halves(place_.count, bytes)) {
        TENON_TRY(sum_by_halves(head, networks, bytes, real));
        return beyond < place_.count ? send_gradients(beyond, head, networks, kAllParts) : Status();
    }
    for (std::size_t distance = 1; distance < paired; distance *= 2) {
        TENON_TRY(send_gradients(me ^ distance, head, networks, kPartsAhead));
        TENON_TRY(take_gradients(me ^ distance, head, networks, real, false, kPartsAhead));
    }
    return beyond < place_.count ? send_gradients(beyond, head, networks, kAllParts) : Status();
}

void Group::leave(const Problem* why) {
    if (device_link_ != nullptr && why != nullptr) {
        device_link_->abort();
    }
    device_link_.reset();
    for (std::size_t rank = 0; why != nullptr && !told_ && rank < place_.count; ++rank) {
        if (rank != place_.rank) {
            (void)tell(rank, MessageKind::kLeft, std::to_string(static_cast<int>(why->fault)) + why->sentence);
        }
    }
    link_->close(kLeaving);
}

}  // namespace tenon
