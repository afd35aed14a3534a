// SPDX-License-Identifier: Apache-2.0
// The host's view of a worker: a process, its shared memory, and one request at a time. Data that the worker writes is
// not trusted.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/error/result.hpp"
#include "engines/isolation/mailbox.hpp"
#include "engines/isolation/messages.hpp"
#include "engines/process/process.hpp"
#include "engines/process/shared_memory.hpp"

namespace tenon {

class Worker {
public:
    using Args = std::array<std::uint64_t, 8>;

    struct Answer {
        tn_status status = TN_OK;
        std::string ended;  // "was ended by SIGSEGV": it has ended; empty while it is running
        int signal = 0;     // if it has ended: the signal that another process sent or that it raised
        [[nodiscard]] bool alive() const { return ended.empty(); }
    };

    // Its output goes to `output`.
    static Result<Worker> start(const IsolationRules& rules, int output = STDERR_FILENO);

    // Sends a request; answer() receives the result and must be called before the next request. If there are more bytes
    // than the mailbox holds, it waits until the first ones have been taken.
    void ask(WorkerCall call, const Args& args = {}, std::span<const std::byte> bytes = {});
    // Waits as long as the rules allow, and then kills the worker. A text of the worker becomes this thread's
    // (error_text.hpp).
    Answer answer(Bytes* bytes = nullptr);

    Answer call(WorkerCall call, const Args& args = {}, std::span<const std::byte> bytes = {}, Bytes* out = nullptr) {
        ask(call, args, bytes);
        return answer(out);
    }

    // Asks it to end, with the plugin's destroy and deinit; kills it if that takes too long.
    void end();

    // The shared memory after the mailbox. May move it.
    Status make_room(std::size_t bytes) { return memory_.grow(kRoom + bytes); }
    [[nodiscard]] std::byte* room() const { return memory_.data() + kRoom; }

    // The number in the latest answer, written by the worker.
    [[nodiscard]] std::uint64_t number() const { return mailbox().args[0]; }

    // Its present call during kTry, written by the worker.
    [[nodiscard]] std::string function() const;

    [[nodiscard]] pid_t process() const { return process_.id(); }

    // The offset of that memory: whole pages after the mailbox.
    static constexpr std::size_t kRoom = (sizeof(Mailbox) + 4095) / 4096 * 4096;

private:
    [[nodiscard]] Mailbox& mailbox() const { return *reinterpret_cast<Mailbox*>(memory_.data()); }
    void send(WorkerCall call, const Args& args, std::span<const std::byte> bytes);
    Answer wait();

    WorkerProcess process_;
    SharedMemory memory_;
    double seconds_ = 0;
    std::uint32_t number_ = 0;
    std::string ended_;  // how it has ended
};

}  // namespace tenon
