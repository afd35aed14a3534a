// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error/listed.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon::bench {
namespace {

constexpr const char* kCartPole = "classic/CartPole-v1";
constexpr const char* kBusy = "busy/Busy-v0";
constexpr std::array<std::uint32_t, 4> kLanes = {1, 8, 64, 1024};
constexpr std::array<std::uint32_t, 2> kLanesApart = {64, 1024};
constexpr std::uint32_t kStepsToAgree = 4096;
constexpr std::uint32_t kStepsToAgreeApart = 256;

// The processor that it happens to run on, until it ends.
class OneProcessor {
public:
    OneProcessor() {
        ::sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
        ::sched_setaffinity(0, sizeof one, &one);
    }
    OneProcessor(const OneProcessor&) = delete;
    ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t before_{};
};

Status agree(Course& course, const std::vector<Way>& ways, std::uint32_t steps, const std::string& what) {
    for (std::uint32_t done = 0; done < steps; done += Course::kSlots) {
        std::vector<unsigned char> first;
        for (const Way& way : ways) {
            course.scrub();
            if (Status status = way(Course::kSlots); !status) {
                return status;
            }
            std::vector<unsigned char> bytes = course.written();
            if (first.empty()) {
                first = std::move(bytes);
            } else if (bytes != first) {
                return plugin_problem(what + " gives other bytes after " + counted(done, "step") + " of " +
                                      counted(course.storage().lanes(), "lane"));
            }
        }
    }
    return {};
}

template <class T>
Way way_of(T& steps) {
    return [&steps](std::uint32_t calls) -> Status { return steps.run(calls); };
}

Overhead overhead_of(const Turns& turns, std::size_t way) {
    return {.ns = turns.ns(way), .ratio = turns.ratio(way, 0), .more = turns.difference(way, 0)};
}

Result<CallsRow> measure_calls(Workshop& workshop, const Env& env, std::uint32_t lanes, double seconds) {
    Result<std::unique_ptr<Course>> course = Course::make(env, lanes);
    if (!course) {
        return std::move(course.error());
    }
    const std::unique_ptr<Inlined> inlined = make_inlined(env, **course, workshop);
    Result<std::unique_ptr<ByAbi>> abi = ByAbi::make(env, **course);
    if (!abi) {
        return std::move(abi.error());
    }
    Result<std::unique_ptr<ByHost>> host = ByHost::make(env, **course, workshop);
    if (!host) {
        return std::move(host.error());
    }
    const Way in_one = [&inlined](std::uint32_t calls) -> Status {
        inlined->run(calls);
        return {};
    };
    const std::vector<Way> ways = {in_one, way_of(**abi), way_of(**host)};
    if (Status same = agree(**course, ways, kStepsToAgree, std::string(kCartPole) + " as a plugin"); !same) {
        return std::move(same.error());
    }
    Result<Turns> turns = Turns::take(ways, Course::kSlots, seconds);
    if (!turns) {
        return std::move(turns.error());
    }
    return CallsRow{
        .lanes = lanes, .inlined_ns = turns->ns(0), .abi = overhead_of(*turns, 1), .host = overhead_of(*turns, 2)};
}

Result<ApartRow> measure_apart(Workshop& workshop, const Env& env, const Env& apart, std::uint32_t lanes,
                               double seconds) {
    Result<std::unique_ptr<Course>> course = Course::make(env, lanes);
    if (!course) {
        return std::move(course.error());
    }
    Result<std::unique_ptr<ByHost>> in_process = ByHost::make(env, **course, workshop);
    if (!in_process) {
        return std::move(in_process.error());
    }
    Result<std::unique_ptr<ByHost>> isolated = ByHost::make(apart, **course, workshop);
    if (!isolated) {
        return std::move(isolated.error());
    }
    const std::string& name = env.component.info.name;
    const std::vector<Way> ways = {way_of(**in_process), way_of(**isolated)};
    if (Status same = agree(**course, ways, kStepsToAgreeApart, name + " in a process of its own"); !same) {
        return std::move(same.error());
    }
    Result<Turns> turns = Turns::take(ways, Course::kSlots, seconds);
    if (!turns) {
        return std::move(turns.error());
    }
    return ApartRow{.env = name, .lanes = lanes, .here_ns = turns->ns(0), .apart = overhead_of(*turns, 1)};
}

// The seconds from its start to its end.
Result<double> run_quietly(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const auto start = std::chrono::steady_clock::now();
    pid_t id = 0;
    const int failure = ::posix_spawn(&id, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        return environment_problem(words[0] + " could not be started: " + std::strerror(failure));
    }
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) {
        return plugin_problem("`tenon " + words[1] + " " + words[2] + "` failed");
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Result<std::vector<CallsRow>> measure_calls(Workshop& workshop, double seconds) {
    const OneProcessor one;
    Result<Env> env = Env::find(workshop, kCartPole);
    if (!env) {
        return std::move(env.error());
    }
    std::vector<CallsRow> rows;
    for (const std::uint32_t lanes : kLanes) {
        Result<CallsRow> row = measure_calls(workshop, *env, lanes, seconds);
        if (!row) {
            return std::move(row.error());
        }
        rows.push_back(*row);
    }
    return rows;
}

Result<std::vector<ApartRow>> measure_apart(Workshop& workshop, double seconds) {
    std::vector<ApartRow> rows;
    for (const char* const name : {kCartPole, kBusy}) {
        Result<Env> env = Env::find(workshop, name);
        if (!env) {
            return std::move(env.error());
        }
        Result<Env> apart = env->apart(workshop);
        if (!apart) {
            return std::move(apart.error());
        }
        for (const std::uint32_t lanes : kLanesApart) {
            Result<ApartRow> row = measure_apart(workshop, *env, *apart, lanes, seconds);
            if (!row) {
                return std::move(row.error());
            }
            rows.push_back(*std::move(row));
        }
    }
    return rows;
}

Result<CommandRow> measure_command(const Workshop& workshop, const std::string& command, int times) {
    const Result<ComponentInfo> info = workshop.registry.find(kCartPole);
    if (!info) {
        return info.error();
    }
    const auto program = find_program("tenon");
    if (!program) {
        return environment_problem("there is no tenon in " + program_folder().string());
    }
    const std::filesystem::path& plugin = info->plugin->path;
    CommandRow row{.command = command, .plugin = plugin.filename().string(), .seconds = 0};
    for (int i = 0; i < times; ++i) {
        Result<double> seconds = run_quietly({program->string(), command, plugin.string()});
        if (!seconds) {
            return std::move(seconds.error());
        }
        row.seconds = i == 0 ? *seconds : std::min(row.seconds, *seconds);
    }
    return row;
}

}  // namespace tenon::bench
