// SPDX-License-Identifier: Apache-2.0
// tenon collect: a worker of a run that waits for workers (collector.listen), started by whatever starts processes.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/error/problem.hpp"
#include "base/file/spawn.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "plugins/plugin/search_path.hpp"
#include "report.hpp"

namespace tenon::host {

int command_collect(const Arguments& arguments) {
    CommandLine line(
        "tenon collect --connect ADDRESS [options]",
        "Becomes a worker process of the run that listens at ADDRESS: one with [collector] kind = "
        "\"processes\" and\nlisten. The trainer sends the manifest, the plugins must be under the same paths. "
        "If the run has all its\nworkers, this one waits until one is lost. It ends with the run.");
    line.options()("connect", text_value("ADDRESS"),
                   "where the trainer is, such as tcp://node5:5557, or ipc:///PATH on the same machine; beyond this "
                   "machine TENON_KEY must be set, to the trainer's secret")(
        "stay", "when the run has ended, wait for the next one at this address, for at most TENON_WAIT seconds");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (!line.has("connect")) {
        return report(
            input_problem("collect needs the address of a trainer: tenon collect --connect tcp://node5:5557"));
    }
    // The same process, so that whoever started it ends what collects.
    const std::string program = (installed_folder() / "tenon-worker").string();
    std::string address = line.text("connect");
    std::vector<std::string> words = {"tenon-worker", "connect", std::move(address)};
    if (line.has("stay")) {
        words.emplace_back("stay");
    }
    ::execv(program.c_str(), exec_words(words).data());
    return report(environment_problem(program + " cannot be started: " + std::strerror(errno), {},
                                      "put it there, or set TENON_HOME to the folder of an installation"));
}

}  // namespace tenon::host
