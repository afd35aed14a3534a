// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "tenon/guard.hpp"

namespace bridge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr off_t kMuchOutput = 1 << 20;
constexpr off_t kQuoted = 16384;
constexpr off_t kToldAtOnce = 1 << 16;
constexpr std::string_view kOurFolder = "/tenon_worker/";
// What the doorbell counts: messages in its lower half, rings for the shared memory in its upper half.
constexpr std::uint64_t kMessage = 1;
constexpr std::uint64_t kLanes = std::uint64_t{1} << 32U;
constexpr std::uint32_t kMark = 0x54454e4f;  // as in tenon_worker/messages.py
constexpr std::uint32_t kLargestMessage = std::uint32_t{1} << 30U;
constexpr int kAboveOurs = 16;  // descriptors that are moved to fixed numbers come from above these

[[noreturn]] void fail_by_errno(const std::string& what) {
    throw tenon::Unavailable(what + ": " + std::strerror(errno));
}

Descriptor checked(int number, const char* what) {
    if (number < 0) {
        fail_by_errno(std::string("a worker process lacks its ") + what);
    }
    return Descriptor(number);
}

// A copy that no fixed number overwrites.
Descriptor moved_up(int number) {
    return checked(::fcntl(number, F_DUPFD_CLOEXEC, kAboveOurs), "descriptors");
}

struct Header {
    std::uint32_t mark;
    std::uint32_t size;  // of the message behind it
};

struct Pipe {
    Descriptor read, write;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail_by_errno("a worker process lacks its pipes");
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string how_ended(int status) {
    if (WIFSIGNALED(status)) {
        const char* const name = ::sigabbrev_np(WTERMSIG(status));
        return "was ended by " +
               (name == nullptr ? "signal " + std::to_string(WTERMSIG(status)) : "SIG" + std::string(name));
    }
    return "ended by itself with exit code " + std::to_string(WEXITSTATUS(status));
}

off_t size_of(const Descriptor& file) {
    struct stat facts{};
    return ::fstat(file.number(), &facts) == 0 ? facts.st_size : 0;
}

std::string piece_of(const Descriptor& file, off_t from, off_t size) {
    std::string text(static_cast<std::size_t>(size), '\0');
    const ssize_t count = ::pread(file.number(), text.data(), text.size(), from);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        line.erase(0, line.find_first_not_of(" \t\r"));
        if (!line.empty()) {
            lines.push_back(std::move(line));
        }
        at = end + 1;
    }
    return lines;
}

}  // namespace

std::string seconds_text(double seconds) {
    std::ostringstream out;
    out << seconds << " s";
    return out.str();
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

void Descriptor::close() {
    if (number_ >= 0) {
        ::close(std::exchange(number_, -1));
    }
}

Process::Process(const std::string& python, const std::string& package) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        fail_by_errno("a worker process lacks its socket");
    }
    messages_ = Descriptor(ends[0]);
    const Descriptor other(ends[1]);
    memory_ = checked(::memfd_create("tenon-worker", MFD_CLOEXEC), "memory");
    output_ = checked(::memfd_create("tenon-worker-output", MFD_CLOEXEC), "output");
    ::fcntl(output_.number(), F_SETFL, O_APPEND);
    Pipe life = make_pipe();
    doorbell_ = checked(::eventfd(0, EFD_CLOEXEC), "doorbell");
    life_ = std::move(life.write);
    const Descriptor nothing = checked(::open("/dev/null", O_RDONLY | O_CLOEXEC), "input");

    std::array<Descriptor, 7> theirs = {
        moved_up(nothing.number()), moved_up(output_.number()),   moved_up(output_.number()),  moved_up(other.number()),
        moved_up(memory_.number()), moved_up(doorbell_.number()), moved_up(life.read.number())};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        ::posix_spawn_file_actions_adddup2(&actions, theirs[i].number(), static_cast<int>(i));
    }
    // In its own process group: Ctrl-C is for the program only, and the worker's children can be ended with it. The
    // program's threads may block signals, and the worker must not inherit this.
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    std::string unbuffered = "-u";
    std::string interpreter = python;
    std::string folder = package;
    std::array<char*, 4> words = {interpreter.data(), unbuffered.data(), folder.data(), nullptr};
    const int failure = ::posix_spawn(&id_, python.c_str(), &actions, &attributes, words.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        id_ = 0;
        throw tenon::InvalidArgument(python + " could not be started: " + std::strerror(failure));
    }
}

Process::~Process() {
    for (int i = 0; i < 200 && !ended(); ++i) {
        ::usleep(5000);
    }
    kill();
    if (data_ != nullptr) {
        ::munmap(data_, size_);
    }
}

std::byte* Process::share(std::size_t bytes) {
    if (::ftruncate(memory_.number(), static_cast<off_t>(bytes)) != 0) {
        fail_by_errno("there is no memory to share with a worker process");
    }
    void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.number(), 0);
    if (data == MAP_FAILED) {
        fail_by_errno("there is no memory to share with a worker process");
    }
    data_ = static_cast<std::byte*>(data);
    size_ = bytes;
    return data_;
}

void Process::send(std::string_view message) {
    const Header header = {.mark = kMark, .size = static_cast<std::uint32_t>(message.size())};
    std::string all(reinterpret_cast<const char*>(&header), sizeof header);
    all += message;
    add(kMessage);
    // If the process has ended, receive says so.
    for (std::string_view rest = all; !rest.empty();) {
        const ssize_t count = ::send(messages_.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            return;
        }
        rest.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

std::string Process::receive(double seconds) {
    const auto limit = Clock::now() + std::chrono::duration<double>(seconds);
    std::string got;
    std::size_t needed = sizeof(Header);
    while (got.size() < needed) {
        pollfd waiting = {.fd = messages_.number(), .events = POLLIN, .revents = 0};
        ::poll(&waiting, 1, 50);
        trim_output();
        std::array<char, 4096> piece{};
        const ssize_t count =
            ::recv(messages_.number(), piece.data(), std::min(piece.size(), needed - got.size()), MSG_DONTWAIT);
        if (count > 0) {
            got.append(piece.data(), static_cast<std::size_t>(count));
            if (got.size() == sizeof(Header) && needed == sizeof(Header)) {
                Header header{};
                std::memcpy(&header, got.data(), sizeof header);
                if (header.mark != kMark || header.size > kLargestMessage) {
                    kill();
                    throw tenon::Unavailable(
                        "sent bytes that are no answer: its code writes to a file descriptor that it has not opened");
                }
                needed += header.size;
            }
            continue;
        }
        if (const std::optional<std::string> how = ended()) {
            throw tenon::Unavailable(*how);
        }
        if (Clock::now() > limit) {
            interrupt();
            throw tenon::Unavailable("did not answer within " + seconds_text(seconds));
        }
    }
    return got.substr(sizeof(Header));
}

void Process::ring() const noexcept {
    add(kLanes);
}

void Process::add(std::uint64_t count) const noexcept {
    [[maybe_unused]] const ssize_t sent = ::write(doorbell_.number(), &count, sizeof count);
}

std::optional<std::string> Process::ended() {
    int status = 0;
    if (id_ != 0 && ::waitpid(id_, &status, WNOHANG) == id_) {
        ::kill(-id_, SIGKILL);  // its remaining children
        id_ = 0;
        how_ = how_ended(status);
        by_signal_ = WIFSIGNALED(status);
    }
    return id_ == 0 ? std::optional(how_) : std::nullopt;
}

void Process::interrupt() {
    if (id_ != 0) {
        ::kill(id_, SIGUSR1);  // it writes where it is to its output
        ::usleep(200000);
    }
    kill();
}

void Process::kill() {
    if (id_ != 0) {
        ::kill(-id_, SIGKILL);
        ::kill(id_, SIGKILL);
        int status = 0;
        while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
        }
        id_ = 0;
        how_ = how_ended(status);
    }
}

void Process::dismiss() {
    if (id_ != 0) {
        send("{\"call\":\"close\"}");
    }
}

void Process::trim_output() {
    const off_t size = size_of(output_);
    if (size > kMuchOutput && ::ftruncate(output_.number(), 0) == 0) {
        left_out_ += size - told_;
        told_ = 0;
    }
}

std::vector<std::string> Process::new_output() {
    const off_t more = std::max<off_t>(size_of(output_) - told_, 0);
    const bool is_much = more > kToldAtOnce;
    const std::string text = piece_of(output_, told_, std::min(more, kToldAtOnce));
    const std::size_t whole = is_much ? text.size() : text.rfind('\n') + 1;  // 0: the line goes on
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < whole;) {
        const std::size_t end = std::min(text.find('\n', at), whole);
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    told_ += is_much ? more : static_cast<off_t>(whole);
    left_out_ += is_much ? more - kToldAtOnce : 0;
    if (left_out_ > 0) {
        lines.push_back("(" + std::to_string(std::exchange(left_out_, 0)) + " bytes more are left out here)");
    }
    trim_output();
    return lines;
}

std::string Process::what_it_said() const {
    const off_t all = size_of(output_);
    const off_t size = std::min(all, kQuoted);
    const std::string text = piece_of(output_, all - size, size);
    if (text.empty()) {
        return "";
    }
    // Python's own report of a crash has one place a line, the innermost first.
    constexpr std::string_view kPlaces = "(most recent call first):";
    std::string quoted;
    int quotes = 0;
    if (const std::size_t at = text.rfind(kPlaces); at != std::string::npos) {
        for (const std::string& line : lines_of(text.substr(at + kPlaces.size()))) {
            const bool is_theirs = line.starts_with("File ") && !line.starts_with("File \"<frozen ") &&
                                   line.find(kOurFolder) == std::string::npos;
            if (is_theirs && quotes++ < 3) {
                quoted += (quoted.empty() ? "; it was in " : ", called by ") + line.substr(5);
            }
        }
        if (!quoted.empty()) {
            return quoted;
        }
    }
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = lines.size() < 4 ? 0 : lines.size() - 4; i < lines.size(); ++i) {
        quoted += (quoted.empty() ? "; its last output: " : " / ") + lines[i].substr(0, 300);
    }
    return quoted;
}

}  // namespace bridge
