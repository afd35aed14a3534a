// SPDX-License-Identifier: Apache-2.0
#include "shared/watch/run_watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/thread/interrupts.hpp"
#include "shared/history/find_runs.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr auto kPause = std::chrono::seconds(1);
constexpr auto kPreview = std::chrono::milliseconds(300);
constexpr std::size_t kReaders = 4;

fs::path tidy(const fs::path& path) {
    std::error_code code;
    fs::path out = fs::absolute(path, code).lexically_normal();
    return out.has_filename() ? out : out.parent_path();
}

// The path of the run below the named folder; it begins with the folder's name if several were named.
std::string name_of_run(const fs::path& run, const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) {
        const fs::path below = tidy(run).lexically_relative(tidy(path));
        if (below == ".") {
            return tidy(run).filename().string();
        }
        if (!below.empty() && *below.begin() != "..") {
            return (paths.size() > 1 ? tidy(path).filename() / below : below).string();
        }
    }
    return run.string();
}

}  // namespace

const WatchedRun* RunsView::find(std::string_view id) const {
    const auto found = std::ranges::find_if(runs, [&](const auto& run) { return run->id == id; });
    return found == runs.end() ? nullptr : found->get();
}

Result<std::unique_ptr<RunWatch>> RunWatch::open(std::vector<fs::path> paths) {
    std::unique_ptr<RunWatch> out(new RunWatch(std::move(paths)));
    TENON_TRY(out->find());
    return out;
}

RunWatch::~RunWatch() {
    if (thread_.joinable()) {
        {
            const std::scoped_lock lock(mutex_);
            end_ = true;
        }
        ended_.notify_all();
        thread_.join();
    }
}

Status RunWatch::find() {
    std::vector<fs::path> found = TENON_TRY(find_runs(paths_));
    for (const fs::path& folder : found) {
        std::unique_ptr<RunFollower>& follower = followers_[folder];
        if (!follower) {
            const fs::path full = tidy(folder);
            follower = std::make_unique<RunFollower>(folder, name_of_run(folder, paths_),
                                                     full.parent_path().filename().string());
        }
    }
    std::erase_if(followers_, [&](const auto& each) { return std::ranges::find(found, each.first) == found.end(); });
    order_ = std::move(found);
    return {};
}

// Publishes these runs; null stands for a run that has not been read yet.
void RunWatch::publish(std::vector<std::shared_ptr<const WatchedRun>> runs) {
    auto next = std::make_shared<RunsView>();
    next->unread = std::erase(runs, nullptr);
    next->runs = std::move(runs);
    const std::shared_ptr<const RunsView> before = view();
    if (before->version > 0 && before->runs == next->runs && before->unread == next->unread) {
        return;
    }
    const auto infos = mapped<RunInfo>(next->runs, [&](const auto& run) { return run->info; });
    next->differing = infos.empty() ? std::vector<std::string>() : differing_keys(infos);
    next->version = before->version + 1;
    const std::scoped_lock lock(mutex_);
    view_ = std::move(next);
}

void RunWatch::look_at_all() {
    std::vector<std::shared_ptr<const WatchedRun>> runs(order_.size());
    std::mutex mutex;
    std::atomic<std::size_t> at = 0;
    auto published = std::chrono::steady_clock::now();
    const bool first = view()->version == 0;
    const auto read = [&] {
        for (std::size_t i = at++; i < order_.size() && !end_; i = at++) {
            std::shared_ptr<const WatchedRun> run = followers_.at(order_[i])->look();
            const std::scoped_lock lock(mutex);
            runs[i] = std::move(run);
            if (first && std::chrono::steady_clock::now() - published > kPreview) {
                published = std::chrono::steady_clock::now();
                publish(runs);
            }
        }
    };
    std::vector<std::thread> readers;
    for (std::size_t i = 1; first && i < std::min<std::size_t>(kReaders, std::thread::hardware_concurrency()); ++i) {
        readers.emplace_back([&] {
            block_interrupts();
            read();
        });
    }
    read();
    for (std::thread& reader : readers) {
        reader.join();
    }
    if (!end_) {
        publish(std::move(runs));
    }
}

void RunWatch::look() {
    // if a folder is gone or empty, its runs are shown as they were
    static_cast<void>(find().has_value());
    look_at_all();
}

void RunWatch::follow() {
    thread_ = std::thread([this] {
        block_interrupts();
        while (!end_) {
            look();
            std::unique_lock lock(mutex_);
            ended_.wait_for(lock, kPause, [this] { return end_.load(); });
        }
    });
}

std::shared_ptr<const RunsView> RunWatch::view() const {
    const std::scoped_lock lock(mutex_);
    return view_;
}

}  // namespace tenon
