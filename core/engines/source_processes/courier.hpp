// SPDX-License-Identifier: Apache-2.0
// Lets a worker process of the trainer be on another machine, while neither of them knows. A courier on the trainer's
// machine takes the worker's place there. It starts a command such as `ssh node7`, which starts the other courier,
// whose child the worker is. Both have a desk (worker_desk.hpp), and tell each other through the command's standard
// streams what has been written to theirs. With collector.listen the other courier has connected, and the streams are a
// socket whose bytes travel through the trainer's door (engines/process/door.hpp).
//
// The end of either courier is an end of file for the other one, so nothing is left running when a machine or the way
// to it fails.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tenon {

// How soon a courier sees what rings no bell, in seconds. Each glance takes a core from a worker.
inline constexpr double kCourierGlance = 0.002;

// Each courier says something three times in this time, however long a step takes. If nothing comes, its machine or the
// way to it is lost. `limit`: TENON_WAIT.
inline std::chrono::milliseconds courier_silence(std::chrono::seconds limit) {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(15), std::chrono::milliseconds(limit) / 2);
}

// How a worker has ended that was stopped, as the rest of a sentence.
inline constexpr const char* kStoppedWorker = "was stopped (SIGSTOP)";

// How the courier on the trainer's machine reaches the other one.
struct CourierWay {
    std::vector<std::string> command = {};  // that starts it, such as ssh node7
    std::string guest = {};                 // instead: the name of a process that has connected (tenon collect)
};

// The courier on the trainer's machine. `descriptor`: of the desk. Returns the exit code of the process.
int serve_local_courier(int descriptor, const CourierWay& given);

// The one on the worker's machine. `connected`: it was not started by the trainer, so it tells problems here, too.
int serve_remote_courier(bool connected);

}  // namespace tenon
