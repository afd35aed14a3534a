// SPDX-License-Identifier: Apache-2.0
// The courier on the trainer's machine.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error/printable.hpp"
#include "base/file/end_process.hpp"
#include "base/file/launch_site.hpp"
#include "base/file/lifeline.hpp"
#include "base/file/spawn.hpp"
#include "compute/exec/build_id.hpp"
#include "engines/process/process.hpp"
#include "engines/process/shared_memory.hpp"
#include "engines/process/stop_watch.hpp"
#include "engines/source_processes/courier.hpp"
#include "engines/source_processes/desk_mirror.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {
namespace {

constexpr int kPipe = 1 << 20;
constexpr auto kAfterStop = std::chrono::seconds(1);

// For a command that ends: when its input has ended, and when it has been asked to.
constexpr auto kEndOfInput = std::chrono::milliseconds(500);
constexpr auto kPatience = std::chrono::milliseconds(1500);
constexpr auto kGlance = std::chrono::milliseconds(5);

pid_t started = 0;  // for a signal: the command of this process

struct Way {
    pid_t command = 0;
    int to = -1;
    int from = -1;
};

// Waits for the end of the command. True: it has ended, or there is none.
bool has_ended_within(std::chrono::milliseconds limit, pid_t command) {
    for (; command != 0 && ::waitpid(command, nullptr, WNOHANG) == 0; limit -= kGlance) {
        if (limit <= kGlance) {
            return false;
        }
        ::poll(nullptr, 0, kGlance.count());
    }
    return true;
}

// The command may have to tell others that it ends, as srun tells Slurm. What is left of it the trainer kills.
void end_command(const Way& way) {
    ::close(way.to);
    if (!has_ended_within(kEndOfInput, way.command)) {
        ::kill(way.command, SIGTERM);
        has_ended_within(kPatience, way.command);
    }
}

[[noreturn]] void leave(const Way& way) {
    end_command(way);
    end_process(kLostConnection);
}

// The command has had the same signal. If it does not end, the kernel kills both. (If this process is stopped when its
// starter ends, the kernel lets it go on, because nobody could any more.)
void end_with_command(int /*signal*/) {
    has_ended_within(kPatience, started);
    ::kill(0, SIGKILL);
}

// The command is in this process's group, so it ends with it.
int open_way(std::vector<std::string> words, Way& way) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0) {
        return errno;
    }
    const std::vector<char*> arguments = exec_words(words);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    const int failure = ::posix_spawnp(&way.command, arguments.front(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    for (const int end : {to[1], from[0]}) {
        ::fcntl(end, F_SETPIPE_SZ, kPipe);  // so that steps of some milliseconds fit, and the sender goes on
    }
    ::close(to[0]);
    ::close(from[1]);
    way.to = to[1];
    way.from = from[0];
    started = way.command;
    return failure;
}

CourierMessage opening(const DeskMirror& mirror, const LaunchSite& site) {
    CourierMessage out(CourierWord::kOpen, 0);
    out.put(std::string_view(build_id()));
    out.put(std::string_view(site.folder));
    out.put(static_cast<std::uint32_t>(site.environment.size()));
    for (const std::string_view variable : site.environment) {
        out.put(variable);
    }
    mirror.describe(out);
    return out;
}

// Passes on what the trainer writes. An order says that `halt` is 0 again, so it comes before a later halt.
void pass_on_orders(DeskMirror& mirror, int to, std::chrono::milliseconds heartbeat) {
    auto told = std::chrono::steady_clock::now();
    WorkerDesk& desk = mirror.desk();
    std::uint32_t ordered = 0;
    std::uint32_t taken = 0;
    std::uint32_t halt = 0;
    // A worker waits when its ring is full of steps that are not taken, so it need not hear of each.
    const std::uint32_t some = std::max(desk.sizes.slots / 4, 1U);
    CourierMessage order;
    for (bool connected = true; connected;) {
        const bool given = sleep_until_reached(desk.order, ordered + 1, kCourierGlance);
        const auto time = std::chrono::steady_clock::now();
        if (const std::uint32_t now = desk.taken.number.load();
            !given && (now - taken >= some || time - told >= heartbeat)) {
            told = time;
            connected = CourierMessage(CourierWord::kTaken, taken = now).send(to);
        }
        if (given) {
            order.begin(CourierWord::kOrder, ordered = desk.order.number.load());
            order.put(taken = desk.taken.number.load());
            mirror.put_order(order);
            halt = static_cast<LaneOrder>(desk.call) == LaneOrder::kSteps ? 0 : halt;
            connected = connected && order.send(to);
        } else if (const std::uint32_t now = desk.halt.load(); now != halt) {
            connected = CourierMessage(CourierWord::kHalt, halt = now).send(to);
        }
    }
}

// Ends as the worker has ended, so that the trainer says it of this process.
int end_as_worker(WorkerDesk& desk, CourierMessage& gone) {
    std::int32_t fault = 0;
    std::int32_t signal = 0;
    std::int32_t code = 0;
    if (!gone.take(desk.sentence.data(), desk.sentence.size()) || !gone.take(desk.help.data(), desk.help.size()) ||
        !gone.take(fault) || !gone.take(signal) || !gone.take(code)) {
        return kLostConnection;
    }
    desk.fault.store(fault);
    if (signal != 0) {
        std::signal(signal, SIG_DFL);
        ::kill(::getpid(), signal);
    }
    return code;
}

std::string name_of(const CourierWay& given) {
    return given.guest.empty() ? quoted_command(given.command) : given.guest;
}

std::string how_ended(const Way& way, const CourierWay& given) {
    const std::vector<std::string>& command = given.command;
    int status = 0;
    if (!given.guest.empty()) {
        return given.guest + " has ended or cannot be reached any more";
    }
    for (int i = 0; i < 100; ++i) {  // the end of its output may come a moment before its own
        if (::waitpid(way.command, &status, WNOHANG) == way.command) {
            return how_command_ended(command, status);
        }
        ::usleep(10'000);
    }
    return quoted_command(command) + " has closed its output";
}

// The first line of a text that is no message.
std::string beginning(const std::string& stray) {
    return printable(stray.substr(0, stray.find_first_of("\r\n")));
}

// Whether something comes within this time, be it an end of file.
bool comes(int from, std::chrono::milliseconds limit) {
    pollfd waited{.fd = from, .events = POLLIN, .revents = 0};
    return ::poll(&waited, 1, static_cast<int>(limit.count())) != 0;
}

}  // namespace

int serve_local_courier(int descriptor, const CourierWay& given) {
    std::signal(SIGTERM, end_with_command);
    if (!end_with_starter(kWorkerLifeline, SIGTERM)) {
        return kUntied;
    }
    std::signal(SIGPIPE, SIG_IGN);
    Result<SharedMemory> memory = SharedMemory::open(descriptor);
    if (!memory || memory->size() < sizeof(WorkerDesk)) {
        return kNoMemory;
    }
    DeskMirror mirror(std::move(*memory));
    WorkerDesk& desk = mirror.desk();
    std::vector<std::string> words = given.command;
    words.insert(words.end(), {(installed_folder() / "tenon-worker").string(), "remote"});
    const Result<LaunchSite> site = launch_site();
    if (!site) {
        set_text(desk.sentence, "was not reached: " + site.error().sentence);
        return kLostConnection;
    }
    const Result<std::chrono::seconds> limit = waiting_limit_of_process();
    if (!limit) {
        set_text(desk.sentence, "was not reached: " + limit.error().sentence);
        return kLostConnection;
    }
    Way way;
    ::setenv("SLURM_UNBUFFEREDIO", "1", 1);  // or srun keeps what comes back until a line has ended
    if (!given.guest.empty()) {
        way.to = way.from = kWorkerStream;
    } else if (const int failure = open_way(words, way); failure != 0) {
        set_text(desk.sentence,
                 "was not reached: '" + words.front() + "' could not be started: " + std::strerror(failure));
        return kLostConnection;
    }
    bool reached = false;
    if (opening(mirror, *site).send(way.to)) {
        const auto heartbeat = courier_silence(*limit) / 3;
        std::thread([&mirror, to = way.to, heartbeat] { pass_on_orders(mirror, to, heartbeat); }).detach();
    }
    if (!comes(way.from, *limit)) {
        set_text(desk.sentence, "was not reached within " + std::to_string(limit->count()) + " s (TENON_WAIT) by " +
                                    name_of(given) +
                                    (given.guest.empty() ? ", which must not ask for a password" : ""));
        leave(way);
    }
    std::string stray;
    CourierMessage message;
    while (true) {
        while (reached && !comes(way.from, courier_silence(*limit))) {
            // What a guest says comes through the trainer, which may be stopped, as by Ctrl-Z.
            if (!given.guest.empty() && (is_stopped_now(::getppid()) || comes(way.from, kAfterStop))) {
                continue;
            }
            set_text(desk.sentence, "lost its connection: " + name_of(given) + " has said nothing for " +
                                        std::to_string(courier_silence(*limit).count() / 1000) + " s");
            leave(way);
        }
        const auto patience = reached ? courier_silence(*limit) : std::chrono::milliseconds(*limit);
        if (!CourierMessage::receive(way.from, message, &stray, patience)) {
            break;
        }
        reached = true;
        if (message.word == CourierWord::kGone) {
            end_command(way);
            end_process(end_as_worker(desk, message));
        }
        std::uint32_t steps = 0;
        if (message.word == CourierWord::kStepped && mirror.take_rows(message)) {
            announce(desk.stepped, message.number);
        } else if (message.word == CourierWord::kAnswered && mirror.take_answer(message, steps)) {
            announce(desk.stepped, steps);
            announce(desk.answered, message.number);
        } else if (message.word != CourierWord::kReached) {
            break;
        }
    }
    if (stray.empty() && !comes(way.from, std::chrono::milliseconds(0))) {  // and no end of file
        set_text(desk.sentence, "lost its connection: half a message has come, and nothing more");
        leave(way);
    }
    if (!stray.empty()) {
        set_text(desk.sentence, "was not reached: " + name_of(given) + " prints '" + beginning(stray) +
                                    "...' to its standard output, which must carry nothing but frames");
        leave(way);
    }
    std::string how = how_ended(way, given);
    if (how.ends_with("exit code 127")) {  // of a shell
        how += ", as if there were no " + words[words.size() - 2] + " on that machine";
    }
    set_text(desk.sentence, (reached ? "lost its connection: " : "was not reached: ") + how);
    leave(way);
}

}  // namespace tenon
