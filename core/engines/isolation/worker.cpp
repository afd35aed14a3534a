// SPDX-License-Identifier: Apache-2.0
#include "engines/isolation/worker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>

#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

// How soon the end of a process is detected.
constexpr double kWorkerGlance = 0.01;
// No message of a worker is longer.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32U;

std::string in_seconds(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", seconds);
    return std::string(text.data()) + " s";
}

}  // namespace

Result<Worker> Worker::start(const IsolationRules& rules, int output) {
    Worker out;
    out.memory_ = TENON_TRY(SharedMemory::make(kRoom));
    new (out.memory_.data()) Mailbox;
    out.process_ = TENON_TRY(WorkerProcess::start(out.memory_.descriptor(), rules, output));
    out.seconds_ = rules.seconds;
    return out;
}

void Worker::send(WorkerCall call, const Args& args, std::span<const std::byte> bytes) {
    Mailbox& box = mailbox();
    box.call = static_cast<std::uint32_t>(call);
    box.args = args;
    box.size = bytes.size();
    if (!bytes.empty()) {
        std::memcpy(box.bytes.data(), bytes.data(), bytes.size());
    }
    announce(box.request, ++number_);
}

void Worker::ask(WorkerCall call, const Args& args, std::span<const std::byte> bytes) {
    while (bytes.size() > Mailbox::kBytes && ended_.empty()) {
        send(WorkerCall::kFeed, {}, bytes.first(Mailbox::kBytes));
        bytes = bytes.subspan(Mailbox::kBytes);
        wait();
    }
    if (ended_.empty()) {
        send(call, args, bytes);
    }
}

Worker::Answer Worker::wait() {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds_);
    while (ended_.empty() && !await(mailbox().reply, number_, kWorkerGlance)) {
        if (std::optional<std::string> how = process_.ended()) {
            ended_ = std::move(*how);
        } else if (Clock::now() > end) {
            process_.kill();
            ended_ = "did not answer within " + in_seconds(seconds_) + " and was ended";
        }
    }
    return {.status = ended_.empty() ? mailbox().status : TN_INTERNAL, .ended = ended_, .signal = process_.signal()};
}

Worker::Answer Worker::answer(Bytes* bytes) {
    Answer out = wait();
    if (!out.alive()) {
        return out;
    }
    drop_error();
    if (const std::uint64_t size = std::min<std::uint64_t>(mailbox().text_size, Mailbox::kText); size > 0) {
        std::array<char, Mailbox::kText> text = mailbox().text;
        keep_error({text.data(), size});
    }
    if (bytes == nullptr) {
        return out;
    }
    bytes->clear();
    const std::uint64_t total = std::min<std::uint64_t>(mailbox().total, kMostBytes);
    while (true) {
        const std::uint64_t size = std::min<std::uint64_t>({mailbox().size, Mailbox::kBytes, total - bytes->size()});
        bytes->insert(bytes->end(), mailbox().bytes.data(), mailbox().bytes.data() + size);
        if (bytes->size() >= total || size == 0) {
            return out;
        }
        send(WorkerCall::kFetch, {bytes->size()}, {});
        if (const Answer more = wait(); !more.alive()) {
            return more;
        }
    }
}

std::string Worker::function() const {
    const std::array<char, Mailbox::kFunction> text = mailbox().function;
    return repaired({text.data(), ::strnlen(text.data(), text.size())});
}

void Worker::end() {
    constexpr auto kPatience = std::chrono::seconds(2);
    if (!ended_.empty() || process_.id() == 0) {
        return;
    }
    send(WorkerCall::kEnd, {}, {});
    const auto end = Clock::now() + kPatience;
    while (!process_.ended() && Clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    process_.kill();
    ended_ = "has ended";
}

}  // namespace tenon
