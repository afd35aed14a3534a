// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/child.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/file/spawn.hpp"
#include "base/file/sync.hpp"

namespace tenon {

Result<pid_t> start_child(const std::filesystem::path& program, std::vector<std::string> words,
                          const std::filesystem::path& log, const std::vector<int>& processors, int input) {
    const FileDescriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (output.get() < 0) {
        return file_problem("open", log, errno);
    }
    const std::vector<char*> arguments = exec_words(words);
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int each : processors) {
        CPU_SET(each, &set);
    }
    // srun would kill the run, which leaves at the end of its input.
    const int at_death = program.filename() == "srun" ? 0 : SIGTERM;
    const pid_t launcher = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        return environment_problem(program.string() + " could not be started: " + std::strerror(errno));
    }
    if (child > 0) {
        return child;
    }
    // Only calls that are safe after a fork of a process with several threads.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, at_death);
    if (::getppid() != launcher) {  // it died before the line above
        ::_exit(static_cast<int>(Fault::kEnvironment));
    }
    if (!processors.empty()) {
        ::sched_setaffinity(0, sizeof set, &set);
    }
    if (input >= 0) {
        ::dup2(input, STDIN_FILENO);
    }
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(output.get(), STDERR_FILENO);
    ::execv(program.c_str(), arguments.data());
    ::_exit(static_cast<int>(Fault::kEnvironment));
}

std::vector<std::vector<int>> share_processors(std::size_t jobs) {
    std::vector<std::vector<int>> shares(jobs);
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) {
        return shares;
    }
    const std::size_t each = static_cast<std::size_t>(CPU_COUNT(&set)) / jobs;
    std::size_t taken = 0;
    for (int i = 0; i < CPU_SETSIZE && taken < each * jobs; ++i) {
        if (CPU_ISSET(i, &set)) {
            shares[taken++ / each].push_back(i);
        }
    }
    return shares;
}

}  // namespace tenon
