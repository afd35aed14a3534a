// SPDX-License-Identifier: Apache-2.0
#include "commands/doctor/machines_asked.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file/launch_site.hpp"
#include "base/file/sync.hpp"
#include "compute/exec/build_id.hpp"
#include "shared/seeds/remote_request.hpp"
#include "shared/seeds/remote_run.hpp"
#include "shared/seeds/run_log.hpp"

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::milliseconds kGlance(20);

// A new folder in the present one. A machine that does not see it has another file system there.
struct Mark {
    std::filesystem::path path;

    explicit Mark(std::filesystem::path made) : path(std::move(made)) {}
    Mark(Mark&& other) noexcept : path(std::exchange(other.path, {})) {}
    Mark& operator=(Mark&&) = delete;
    ~Mark() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

Result<Mark> make_mark() {
    std::string path = ".tenon-doctor-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
        return file_problem("make a folder in", std::filesystem::current_path(), errno);
    }
    return Mark(path);
}

// Why the machine cannot be used, after its command has ended, or has been ended because it said nothing for so long.
std::string fault_of(const std::vector<std::string>& command, pid_t child, const std::filesystem::path& log,
                     Clock::time_point end, std::chrono::seconds limit) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (Clock::now() >= end) {
            ::kill(-child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            return quoted_command(command) + " has not answered within " + std::to_string(limit.count()) +
                   " s (TENON_WAIT); it must not ask for a password";
        }
        std::this_thread::sleep_for(kGlance);
    }
    const Printed printed = read_log(log, 0);
    if (!printed.error.empty() || (printed.begun && status == 0)) {
        return printed.error;
    }
    return how_command_ended(command, status) + (printed.last.empty() ? "" : ": " + printed.last);
}

}  // namespace

Result<std::vector<AskedMachine>> ask_machines(const Machines& machines, const std::filesystem::path& program) {
    const bool has_limit = std::getenv("TENON_WAIT") != nullptr;
    const std::chrono::seconds limit = has_limit ? TENON_TRY(waiting_limit_of_process()) : kPatience;
    const Mark mark = TENON_TRY(make_mark());
    const auto log_of = [&](std::size_t i) { return mark.path / std::to_string(i); };
    std::vector<pid_t> started;
    for (const Machine& machine : machines.all) {  // its input ends with what it is asked
        const RemoteRun asked = TENON_TRY(start_remote(command_on(machines, machine), program, "doctor",
                                                       {build_id(), mark.path.string()}, log_of(started.size())));
        started.push_back(asked.child);
    }
    const Clock::time_point end = Clock::now() + limit;
    std::vector<AskedMachine> out;
    for (std::size_t i = 0; i < started.size(); ++i) {
        const std::vector<std::string> command = command_on(machines, machines.all[i]);
        const std::string& name = machines.all[i].name;
        out.push_back({.name = name.empty() ? quoted_command(command) : name,
                       .fault = fault_of(command, started[i], log_of(i), end, limit)});
    }
    return out;
}

Status answer_launcher() {
    std::string line;
    std::getline(std::cin, line);
    const RemoteRequest request = TENON_TRY(parse_remote_request(line));
    TENON_TRY(enter(request.site, "--via"));
    std::cerr << kRemoteBegins << name_of_this_process() << std::endl;
    if (request.words.size() != 2 || request.words[0] != build_id()) {
        return environment_problem("its Tenon is another build than this one: install the same one on both machines");
    }
    std::error_code ignored;
    if (!std::filesystem::exists(request.words[1], ignored)) {
        return environment_problem("its folder " + request.site.folder + " is on another file system than this one");
    }
    return {};
}

}  // namespace tenon
