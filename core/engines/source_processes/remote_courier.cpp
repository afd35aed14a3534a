// SPDX-License-Identifier: Apache-2.0
// The courier on the worker's machine.
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>

#include "base/error/printable.hpp"
#include "base/file/end_process.hpp"
#include "base/file/launch_site.hpp"
#include "base/file/lifeline.hpp"
#include "base/log/log.hpp"
#include "compute/exec/build_id.hpp"
#include "engines/process/process.hpp"
#include "engines/process/stop_watch.hpp"
#include "engines/source_processes/courier.hpp"
#include "engines/source_processes/desk_mirror.hpp"
#include "plugins/plugin/crash.hpp"

namespace tenon {
namespace {

// Goes to the trainer's folder, with its variables TENON_*.
Status enter_with(CourierMessage& message, bool connected) {
    std::string build;
    LaunchSite site;
    std::uint32_t variables = 0;
    if (!message.take(build) || build != build_id()) {
        return environment_problem("the Tenon on " + name_of_this_machine() + " is another build than the trainer's",
                                   {}, "install the same one on both machines");
    }
    bool complete = message.take(site.folder) && message.take(variables);
    for (std::uint32_t i = 0; i < variables && complete; ++i) {
        complete = message.take(site.environment.emplace_back());
    }
    return enter(site, connected ? "collector.listen" : "collector.via");
}

template <std::size_t N>
void put_text(CourierMessage& message, const std::string& text) {
    std::array<char, N> fixed{};
    set_text(fixed, text);
    message.put(fixed.data(), N);
}

int refuse(const Problem& problem, bool connected) {
    if (connected) {
        std::cerr << render(problem) << '\n';
    }
    CourierMessage gone(CourierWord::kGone, 0);
    put_text<sizeof(WorkerDesk::sentence)>(gone, problem.sentence);
    put_text<sizeof(WorkerDesk::help)>(gone, problem.help);
    gone.put(static_cast<std::int32_t>(problem.fault));
    gone.put(std::int32_t{0});
    gone.put(static_cast<std::int32_t>(problem.fault));
    static_cast<void>(gone.send(STDOUT_FILENO));
    return static_cast<int>(problem.fault);
}

// Writes to the desk what the trainer has written to its own. At the end of the input the trainer is gone, and the
// worker ends with this process. `limit`: of a silence, after which the way is lost.
void take_orders(DeskMirror& mirror, std::chrono::milliseconds limit) {
    WorkerDesk& desk = mirror.desk();
    for (CourierMessage message; CourierMessage::receive(STDIN_FILENO, message, nullptr, limit);) {
        std::uint32_t taken = 0;
        if (message.word == CourierWord::kTaken) {
            announce(desk.taken, message.number);
        } else if (message.word == CourierWord::kHalt) {
            desk.halt.store(message.number);
        } else if (message.word == CourierWord::kOrder && message.take(taken) && mirror.take_order(message)) {
            announce(desk.taken, taken);
            if (static_cast<LaneOrder>(desk.call) == LaneOrder::kSteps) {
                desk.halt.store(0);
            }
            announce(desk.order, message.number);
        } else {
            break;
        }
    }
    end_process(kLostConnection);
}

void tell_end(const WorkerDesk& desk, const WorkerProcess& worker, int code) {
    CourierMessage gone(CourierWord::kGone, 0);
    gone.put(desk.sentence.data(), desk.sentence.size());
    gone.put(desk.help.data(), desk.help.size());
    gone.put(desk.fault.load());
    gone.put(static_cast<std::int32_t>(worker.signal()));
    gone.put(static_cast<std::int32_t>(code));
    static_cast<void>(gone.send(STDOUT_FILENO));
}

// The exit code of a courier whose worker has ended: that of a problem that the worker has told.
int tell_here(const WorkerDesk& desk, const WorkerProcess& worker) {
    const std::int32_t fault = desk.fault.load();
    if (fault != 0) {
        std::cerr << "error: " << printable(desk.sentence.data()) << '\n';
    } else if (worker.signal() != 0) {
        log(Level::kWarning, "the worker was ended by " + signal_text(worker.signal()));
    }
    return fault;
}

// Tells what the worker does until it has ended. What it has written before its end is told, too.
int pass_on_steps(DeskMirror& mirror, WorkerProcess& worker, bool tells) {
    WorkerDesk& desk = mirror.desk();
    std::uint32_t stepped = 0;
    std::uint32_t answered = 0;
    const Result<std::chrono::seconds> given = waiting_limit_of_process();
    const std::chrono::seconds limit = given ? *given : kUsualWait;
    const auto heartbeat = courier_silence(limit) / 3;
    StopWatch watch;
    auto told = std::chrono::steady_clock::now();
    CourierMessage message;
    for (bool connected = true; connected;) {
        if (const auto now = std::chrono::steady_clock::now(); now - told >= heartbeat) {
            told = now;
            connected = CourierMessage(CourierWord::kReached, 0).send(STDOUT_FILENO);
            if (watch.is_stopped(worker.id(), stop_patience(limit))) {
                set_text(desk.sentence, kStoppedWorker);
                ::kill(worker.id(), SIGKILL);
            }
        }
        const bool has_ended = worker.ended().has_value();
        // Steps of two milliseconds go together; the trainer waits for an answer more often than for one of them.
        sleep_until_reached(desk.answered, answered + 1, has_ended ? 0 : kCourierGlance);
        const std::uint32_t answers = desk.answered.number.load();  // first: an answer comes after its steps
        const std::uint32_t steps = desk.stepped.number.load();
        if (answers != answered) {
            message.begin(CourierWord::kAnswered, answered = answers);
            mirror.put_answer(message, steps);
            connected = message.send(STDOUT_FILENO);
        } else if (steps != stepped) {
            message.begin(CourierWord::kStepped, steps);
            mirror.put_steps(message, steps);
            connected = message.send(STDOUT_FILENO);
        }
        stepped = steps;
        if (has_ended) {
            tell_end(desk, worker, worker.code());
            return tells ? tell_here(desk, worker) : 0;
        }
    }
    return kLostConnection;
}

}  // namespace

int serve_remote_courier(bool connected) {
    std::signal(SIGPIPE, SIG_IGN);
    if (connected && !end_with_starter(kWorkerLifeline)) {
        return kUntied;
    }
    CourierMessage message;
    if (!CourierMessage::receive(STDIN_FILENO, message) || message.word != CourierWord::kOpen) {
        return kLostConnection;
    }
    if (const Status entered = enter_with(message, connected); !entered) {
        return refuse(entered.error(), connected);
    }
    bool complete = false;
    Result<DeskMirror> mirror = DeskMirror::like(message, complete);
    if (!mirror || !complete) {
        return refuse(mirror ? environment_problem("the trainer has sent half a message") : mirror.error(), connected);
    }
    Result<WorkerProcess> worker = WorkerProcess::start(mirror->memory().descriptor(), {"collect"}, STDERR_FILENO);
    if (!worker) {
        return refuse(worker.error(), connected);
    }
    if (!CourierMessage(CourierWord::kReached, 0).send(STDOUT_FILENO)) {
        return kLostConnection;
    }
    const Result<std::chrono::seconds> limit = waiting_limit_of_process();
    // A trainer that has a door may be stopped, as by Ctrl-Z, and its couriers are silent then.
    const std::chrono::milliseconds silence = connected ? kNoLimit : courier_silence(limit ? *limit : kUsualWait);
    std::thread([&mirror, silence] { take_orders(*mirror, silence); }).detach();
    end_process(pass_on_steps(*mirror, *worker, connected));
}

}  // namespace tenon
