// SPDX-License-Identifier: Apache-2.0
// A Python process with the descriptors that the package tenon_worker expects. It does not outlive this program: the
// kernel kills it and its children when the program's end of a pipe closes, however the program ends.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bridge {

// A descriptor that is closed with its owner.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { close(); }

    [[nodiscard]] int number() const { return number_; }
    void close();

private:
    int number_ = -1;
};

// "30 s", "0.5 s"
std::string seconds_text(double seconds);

class Process {
public:
    // Starts `python package`, a folder. Throws if that fails.
    Process(const std::string& python, const std::string& package);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    // Maps so many bytes that the worker can map too.
    std::byte* share(std::size_t bytes);

    // Sends a message, without waiting for the answer.
    void send(std::string_view message);
    // The answer to the earliest message that has none yet. If the process ends, sends something else, or does not
    // answer in time, it has ended, and tenon::Unavailable says how.
    std::string receive(double seconds);

    // Says that lanes wait in the shared memory.
    void ring() const noexcept;

    // How it ended, "was ended by SIGSEGV"; nothing while it runs. [one thread]
    std::optional<std::string> ended();
    // Whether a signal ended it that was not sent by this object.
    [[nodiscard]] bool was_ended_by_signal() const { return by_signal_; }
    // Kills it after it did not answer; the places of its code that it was at are in what_it_said().
    void interrupt();
    // Its last output, for the end of a sentence: "; its last output: ..."; or the places of Python code at which it
    // crashed or was interrupted.
    [[nodiscard]] std::string what_it_said() const;
    // The lines of its output since the last call; of many the first ones.
    std::vector<std::string> new_output();
    // Forgets its output if there is much of it.
    void trim_output();

    // Asks it to close its environments and end. The destructor waits a moment for that before it kills.
    void dismiss();

private:
    void kill();
    void add(std::uint64_t count) const noexcept;

    pid_t id_ = 0;
    std::string how_;
    bool by_signal_ = false;
    Descriptor messages_, memory_, doorbell_, life_, output_;
    off_t told_ = 0;      // bytes of the output that new_output has returned
    off_t left_out_ = 0;  // and that it will not return
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace bridge
