// SPDX-License-Identifier: Apache-2.0
// One worker as its host sees it: a process, the memory shared with it, and one request at a time. Nothing that it
// writes there is believed.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "error/result.hpp"
#include "isolation/mailbox.hpp"
#include "isolation/messages.hpp"
#include "isolation/process.hpp"
#include "isolation/shared_memory.hpp"

namespace tenon {

class Worker {
public:
    using Args = std::array<std::uint64_t, 8>;

    struct Answer {
        tn_status status = TN_OK;
        std::string ended;  // "was ended by SIGSEGV": it is gone; empty while it lives
        int signal = 0;     // of one that has ended: that somebody else sent it, or that it raised
        [[nodiscard]] bool alive() const { return ended.empty(); }
    };

    // What it writes goes to `output`.
    static Result<Worker> start(const IsolationRules& rules, int output = STDERR_FILENO);

    // Puts the request; `answer` takes what comes of it, and must be called before the next. With more bytes than the
    // mailbox holds it waits for the first of them to be taken.
    void ask(WorkerCall call, const Args& args = {}, std::span<const std::byte> bytes = {});
    // Waits for as long as the rules allow; one that takes longer is ended. A text that it left becomes this thread's
    // (error_text.hpp).
    Answer answer(Bytes* bytes = nullptr);

    Answer call(WorkerCall call, const Args& args = {}, std::span<const std::byte> bytes = {}, Bytes* out = nullptr) {
        ask(call, args, bytes);
        return answer(out);
    }

    // Lets it end by itself, through the plugin's own destroy and deinit; ends it where that takes too long.
    void end();

    // What both have beyond the mailbox. May move it.
    Status make_room(std::size_t bytes) { return memory_.grow(kRoom + bytes); }
    [[nodiscard]] std::byte* room() const { return memory_.data() + kRoom; }

    // The number of the latest answer. The worker wrote it.
    [[nodiscard]] std::uint64_t number() const { return mailbox().args[0]; }

    // What it was doing in kTry. The worker wrote it.
    [[nodiscard]] std::string function() const;

    [[nodiscard]] pid_t process() const { return process_.id(); }

    // Where the room begins: whole pages after the mailbox.
    static constexpr std::size_t kRoom = (sizeof(Mailbox) + 4095) / 4096 * 4096;

private:
    [[nodiscard]] Mailbox& mailbox() const { return *reinterpret_cast<Mailbox*>(memory_.data()); }
    void send(WorkerCall call, const Args& args, std::span<const std::byte> bytes);
    Answer wait();

    WorkerProcess process_;
    SharedMemory memory_;
    double seconds_ = 0;
    std::uint32_t number_ = 0;
    std::string ended_;  // how, once it has
};

}  // namespace tenon
