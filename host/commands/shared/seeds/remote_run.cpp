// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/remote_run.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file/launch_site.hpp"
#include "base/file/spawn.hpp"
#include "base/file/sync.hpp"
#include "shared/seeds/child.hpp"
#include "shared/seeds/remote_request.hpp"

namespace tenon {
namespace {

constexpr std::size_t kPipeBytes = 60'000;
constexpr int kNoConnection = 255;  // ssh ends with it if it has none, or loses it

}  // namespace

Result<RemoteRun> start_remote(std::vector<std::string> command, const std::filesystem::path& program,
                               const std::string& subcommand, std::vector<std::string> words,
                               const std::filesystem::path& log) {
    const std::string request = remote_request_text({.site = TENON_TRY(launch_site()), .words = std::move(words)});
    const std::filesystem::path starter = program_on_path(command.front()).value_or(command.front());
    command.insert(command.end(), {program.string(), subcommand, "--from-launcher"});
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return environment_problem("no pipe could be made: " + std::generic_category().message(errno));
    }
    const FileDescriptor given(ends[0]);
    RemoteRun out{.input = PrivateDescriptor(ends[1])};
    // The pipe holds so much, so the launcher does not wait for the other machine.
    if (request.size() > kPipeBytes || ::write(out.input.get(), request.data(), request.size()) < 0) {
        return input_problem("--via can pass on " + std::to_string(kPipeBytes) +
                             " bytes of options to a run; write values of --set into the manifest");
    }
    out.child = TENON_TRY(start_child(starter, std::move(command), log, {}, given.get()));
    return out;
}

std::string failure_of_command(const std::vector<std::string>& command, int status, const Printed& printed) {
    const bool connected = WIFEXITED(status) && WEXITSTATUS(status) != kNoConnection;
    if (printed.begun && connected) {
        return {};
    }
    return how_command_ended(command, status) +
           (printed.begun ? " in the middle of the run" : " before the run began") +
           (printed.last.empty() ? "" : ": " + printed.last);
}

}  // namespace tenon
