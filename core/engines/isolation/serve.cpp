// SPDX-License-Identifier: Apache-2.0
#include "engines/isolation/serve.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file/lifeline.hpp"
#include "engines/isolation/mailbox.hpp"
#include "engines/isolation/served.hpp"
#include "engines/isolation/worker.hpp"
#include "engines/process/limits.hpp"
#include "engines/process/process.hpp"
#include "engines/process/shared_memory.hpp"
#include "plugins/plugin/error_text.hpp"
#include "plugins/plugin/last_call.hpp"
#include "plugins/plugin/load.hpp"

namespace tenon {
namespace {

constexpr double kLongWait = 3600;

// Where a process that tries a file records its present call, even while it ends.
std::span<char> doing;

void on_last_signal(int signal, siginfo_t* /*info*/, void* /*context*/) {
    keep_current_call(doing);
    if (signal != SIGALRM) {  // the host handles timeouts
        end_by(signal);
    }
}

// Prepares for loading a file that may end this process in any way, before the host's timeout.
void expect_the_worst(std::span<char> where, double patience) {
    constexpr double kEarlier = 0.9;
    doing = where;
    std::ranges::copy(kLoadingIt, doing.begin());
    static_cast<void>(std::atexit([] { keep_current_call(doing); }));
    handle_last_signals(on_last_signal, patience * kEarlier);
}

// Incoming and outgoing data beyond the mailbox.
struct Desk {
    SharedMemory memory;
    Served served;
    Bytes inbox;
    Bytes outbox;

    Mailbox& box() { return *reinterpret_cast<Mailbox*>(memory.data()); }

    void put_out(std::uint64_t from) {
        const std::uint64_t begin = std::min<std::uint64_t>(from, outbox.size());
        const std::uint64_t size = std::min<std::uint64_t>(outbox.size() - begin, Mailbox::kBytes);
        box().size = size;
        box().total = outbox.size();
        std::copy_n(outbox.data() + begin, size, box().bytes.data());  // an empty one has no data
    }

    void handle(WorkerCall call) {
        const std::span<const std::byte> came(box().bytes.data(), std::min<std::uint64_t>(box().size, Mailbox::kBytes));
        if (call == WorkerCall::kFetch) {
            return put_out(box().args[0]);
        }
        inbox.insert(inbox.end(), came.begin(), came.end());
        box().text_size = 0;
        box().status = TN_OK;
        if (call == WorkerCall::kFeed) {
            return;
        }
        if (call == WorkerCall::kBind && !memory.follow()) {
            box().status = TN_OUT_OF_MEMORY;
            return;
        }
        if (call == WorkerCall::kTry) {
            expect_the_worst(box().function, static_cast<double>(box().args[0]) / 1000);
        }
        drop_error();
        const tn_status status = served.handle({.call = call,
                                                .args = box().args,
                                                .bytes = inbox,
                                                .room = memory.data() + Worker::kRoom,
                                                .room_size = memory.size() - Worker::kRoom});
        inbox.clear();
        outbox = std::move(served.out);
        box().status = status;
        box().args[0] = served.number;
        const std::string text = take_error();
        box().text_size = std::min(text.size(), Mailbox::kText);
        std::memcpy(box().text.data(), text.data(), box().text_size);
        put_out(0);
    }
};

// Runs until the host asks it to stop.
int serve_on(int descriptor) {
    Result<SharedMemory> memory = SharedMemory::open(descriptor);
    if (!memory || memory->size() < Worker::kRoom) {
        return kNoMemory;
    }
    Desk desk{.memory = std::move(*memory), .served = {}, .inbox = {}, .outbox = {}};
    for (std::uint32_t number = 1;; ++number) {
        while (!await(desk.box().request, number, kLongWait)) {
        }
        const auto call = static_cast<WorkerCall>(desk.box().call);
        if (call == WorkerCall::kEnd) {
            return 0;
        }
        desk.handle(call);
        announce(desk.box().reply, number);
    }
}

std::uint64_t number_in(std::string_view word) {
    std::uint64_t out = 0;
    std::from_chars(word.data(), word.data() + word.size(), out);
    return out;
}

}  // namespace

int serve(std::span<const char* const> words) {
    if (words.size() != 5) {
        std::fputs("tenon-worker runs plugins for tenon, which starts it if a manifest says isolation = \"process\"\n",
                   stderr);
        return 2;
    }
    if (!end_with_starter(kWorkerLifeline)) {
        return kUntied;
    }
    IsolationRules rules;
    rules.memory_mb = number_in(words[2]);
    rules.processor_s = number_in(words[3]);
    rules.network = number_in(words[4]) != 0;
    if (Status limited = limit_this_process(rules); !limited) {
        std::fputs((render(limited.error()) + "\n").c_str(), stderr);
        return kNoLimits;
    }
    return serve_on(static_cast<int>(number_in(words[1])));
}

}  // namespace tenon
