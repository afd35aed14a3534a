// SPDX-License-Identifier: Apache-2.0
// Watches the runs below some folders as they appear, grow and end.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error/result.hpp"
#include "shared/watch/watched_run.hpp"

namespace tenon {

// All runs at one moment. It never changes.
struct RunsView {
    std::uint64_t version = 0;  // grows with every change
    std::vector<std::shared_ptr<const WatchedRun>> runs;
    std::vector<std::string> differing;  // keys of manifests
    std::size_t unread = 0;              // runs that have been found, but are not in `runs` yet

    [[nodiscard]] const WatchedRun* find(std::string_view id) const;
};

class RunWatch {
public:
    // Finds the runs, and reads nothing yet. A path that has no run is a problem.
    static Result<std::unique_ptr<RunWatch>> open(std::vector<std::filesystem::path> paths);
    ~RunWatch();
    RunWatch(const RunWatch&) = delete;
    RunWatch& operator=(const RunWatch&) = delete;

    // Reads all runs. Do not call it while a thread does.
    void look();
    // Starts a thread that reads all runs, and again every second, until this object is destroyed. While runs are read
    // for the first time, the view gets more and more of them.
    void follow();

    // The latest view; may be called from any thread.
    [[nodiscard]] std::shared_ptr<const RunsView> view() const;

private:
    explicit RunWatch(std::vector<std::filesystem::path> paths) : paths_(std::move(paths)) {}
    Status find();
    void look_at_all();
    void publish(std::vector<std::shared_ptr<const WatchedRun>> runs);

    std::vector<std::filesystem::path> paths_;
    std::map<std::filesystem::path, std::unique_ptr<RunFollower>> followers_;
    std::vector<std::filesystem::path> order_;
    mutable std::mutex mutex_;
    std::shared_ptr<const RunsView> view_ = std::make_shared<const RunsView>();
    std::condition_variable ended_;
    std::atomic<bool> end_ = false;
    std::thread thread_;
};

}  // namespace tenon
