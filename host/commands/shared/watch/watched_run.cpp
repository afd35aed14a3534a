// SPDX-License-Identifier: Apache-2.0
#include "shared/watch/watched_run.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/file/sha256.hpp"
#include "folder/records/lock.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdDigits = 12;
constexpr std::size_t kRateRecords = 10;

std::int64_t time_of(const fs::path& path, std::uint64_t& size) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
        return 0;
    }
    size = static_cast<std::uint64_t>(info.st_size);
    return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

// The process that has written its id into the lock.
int process_of(const fs::path& folder) {
    int out = 0;
    std::ifstream(folder / "lock") >> out;
    return std::max(out, 0);
}

std::uint64_t memory_of(int process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    in >> all >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The rate over the latest records, by the clock of the run. A resumed run may have an earlier clock; the rate is then
// unknown.
double rate_of(const HistoryReader& history, std::string_view position) {
    const std::span<const double> at = history.column(position);
    const std::span<const double> clock = history.column("time/time_elapsed");
    if (at.size() < 2 || clock.size() != at.size()) {
        return 0;
    }
    const std::size_t last = at.size() - 1;
    const std::size_t first = last - std::min(last, kRateRecords);
    const double rate = (at[last] - at[first]) / (clock[last] - clock[first]);
    return std::isfinite(rate) && rate > 0 ? rate : 0;
}

void take_records(WatchedRun& run, const HistoryReader& history) {
    run.curves = RunCurves(history);
    const RunCurves::Latest* position = run.curves.find(position_metric(run.info));
    run.position = position == nullptr ? 0 : position->value;
    run.per_second = rate_of(history, position_metric(run.info));
    const double left = static_cast<double>(run.info.length) - run.position;
    run.seconds_left = run.state == RunState::kRunning && run.per_second > 0 && left > 0 ? left / run.per_second : 0;
}

}  // namespace

RunFollower::RunFollower(fs::path folder, std::string name, std::string group) {
    std::error_code code;
    const fs::path same = fs::canonical(folder, code);
    blank_.id = sha256((code ? folder : same).string()).substr(0, kIdDigits);
    blank_.name = std::move(name);
    blank_.group = std::move(group);
    blank_.info.folder = std::move(folder);
}

RunFollower::Signature RunFollower::signature() const {
    Signature out;
    std::uint64_t ignored = 0;
    out.manifest_time = time_of(blank_.info.folder / "manifest.lock.toml", ignored);
    out.metrics_time = time_of(blank_.info.folder / "metrics.jsonl", out.metrics_size);
    out.lock = static_cast<int>(lock_state(blank_.info.folder));
    return out;
}

std::shared_ptr<const WatchedRun> RunFollower::look() {
    const Signature now = signature();
    if (latest_ && now == seen_) {
        return latest_;
    }
    auto run = std::make_shared<WatchedRun>(blank_);
    run->changed = static_cast<double>(std::max(now.metrics_time, now.manifest_time)) * 1e-9;
    if (!history_) {
        history_.emplace(blank_.info.folder);
    }
    const auto grown = history_->read_more();
    Result<RunInfo> info = read_run_info(blank_.info.folder);
    if (info) {
        run->info = std::move(*info);
        run->state = state_of(run->info, *history_);
    } else {
        run->problem = info.error().sentence;
    }
    if (!grown) {
        run->problem = grown.error().sentence;
    }
    take_records(*run, *history_);
    if (run->state == RunState::kRunning) {
        run->process = process_of(blank_.info.folder);
        run->memory = memory_of(run->process);
    } else {
        history_.reset();  // the curves suffice
    }
    seen_ = now;
    latest_ = std::move(run);
    return latest_;
}

}  // namespace tenon
