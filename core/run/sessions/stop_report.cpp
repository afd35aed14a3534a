// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/stop_report.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file/stop_signals.hpp"
#include "base/log/log.hpp"
#include "plugins/plugin/calls_in_progress.hpp"

namespace tenon {
namespace {

// Longer than a round needs to stop, and short enough to precede an impatient second signal.
constexpr auto kPatience = std::chrono::milliseconds(700);

// Blocks signals in this thread, because the loop's thread handles them.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

StopReport::StopReport(std::vector<pthread_t> others, std::string unit, bool terminal)
    : threads_(std::move(others)), unit_(std::move(unit)), terminal_(terminal) {
    threads_.insert(threads_.begin(), ::pthread_self());
    try {
        watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {
        return;  // no memory for a thread, so there will be no report
    }
}

StopReport::~StopReport() {
    if (watcher_.joinable()) {
        left_.release();
        StopSignals::wake();
        watcher_.join();
    }
}

void StopReport::watch() {
    block_signals();
    StopSignals::wait();
    if (!left_.try_acquire_for(kPatience)) {
        say();
    }
}

void StopReport::say() const {
    const std::optional<CallInProgress> call = call_in_progress(threads_);
    const std::string what = call      ? call->component + ", " + call->function + ", to return"
                             : writes_ ? "its checkpoint to be written"
                                       : "the computation in progress";
    const std::int64_t saved = saved_.load();
    const std::string stays =
        saved < 0 ? "nothing is saved yet" : "the checkpoint at " + unit_ + " " + std::to_string(saved) + " stays";
    if (terminal_) {
        static_cast<void>(!::write(STDERR_FILENO, "\r\033[K", 4));
    }
    log(Level::kWarning, render_unlabelled(plugin_problem("the run was asked to stop and waits for " + what +
                                                              "; a second signal ends it at once, and " + stays,
                                                          call ? call->place : Place{})));
}

}  // namespace tenon
