// SPDX-License-Identifier: Apache-2.0
#include "engines/quarantine/attempt.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/file/sync.hpp"
#include "engines/isolation/worker.hpp"
#include "plugins/plugin/error_text.hpp"
#include "plugins/plugin/last_call.hpp"
#include "plugins/plugin/load.hpp"

namespace tenon {
namespace {

// Signals that people and systems end processes with, for example at shutdown or when memory runs out.
constexpr std::array<int, 5> kOfOthers = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

std::string how_it_ended(const Worker& worker, const std::string& ended, int output) {
    const std::string function = worker.function();
    const std::string said = last_line(output);
    return ended + (function == kLoadingIt ? "" : " in " + function) +
           (said.empty() ? "" : "; its last output was: " + said);
}

}  // namespace

Attempt try_loading(const std::filesystem::path& file, double seconds) {
    using enum Attempt::Outcome;
    const FileDescriptor output(::memfd_create("output", MFD_CLOEXEC));
    if (output.get() < 0) {
        return {.outcome = kUntried, .text = "there is no memory for the output of the process"};
    }
    IsolationRules rules;
    rules.seconds = seconds;
    Result<Worker> worker = Worker::start(rules, output.get());
    if (!worker) {
        return {.outcome = kUntried, .text = worker.error().sentence};
    }
    const std::string path = file.string();
    const Worker::Answer answer =
        worker->call(WorkerCall::kTry, {static_cast<std::uint64_t>(seconds * 1000)}, std::as_bytes(std::span(path)));
    if (answer.alive()) {
        return {.outcome = answer.status == TN_OK ? kSound : kRefused, .text = take_error()};
    }
    if (worker->function().empty()) {
        return {.outcome = kUntried, .text = "the process " + answer.ended + " before it began"};
    }
    const bool by_others = std::ranges::find(kOfOthers, answer.signal) != kOfOthers.end();
    return {.outcome = by_others ? kStopped : kEnded, .text = how_it_ended(*worker, answer.ended, output.get())};
}

}  // namespace tenon
