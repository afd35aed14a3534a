// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "tenon/guard.hpp"

namespace bridge {
namespace {

constexpr double kStartSeconds = 120;     // Python, its packages and the environments' constructors
constexpr unsigned kFirstPause = 10'000;  // microseconds
constexpr std::string_view kNewEpisodes = "the lanes lost this step and begin new episodes";
constexpr std::string_view kStartsAgain = "it is started again";

std::uint32_t load_number(const std::uint32_t& number) noexcept {
    return std::atomic_ref(const_cast<std::uint32_t&>(number)).load(std::memory_order_acquire);
}

void sleep_on(const std::uint32_t& number, std::uint32_t seen, long nanoseconds) noexcept {
    const timespec limit{.tv_sec = 0, .tv_nsec = nanoseconds};
    ::syscall(SYS_futex, &number, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace

Worker::Worker(Start& start, std::uint32_t first, std::uint32_t lanes) : start_(&start), first_(first), lanes_(lanes) {}

void Worker::begin() {
    // One that keeps ending before a step is not begun at full speed.
    fruitless_ = is_over_ && !has_stepped_ ? fruitless_ + 1 : 0;
    if (fruitless_ > 0) {
        ::usleep(kFirstPause << std::min(fruitless_ - 1, 6));
    }
    has_described_ = has_stepped_ = false;
    is_over_ = false;
    slab_.data = nullptr;
    process_ = std::make_unique<Process>(start_->python, start_->package);
    process_->send("{\"call\":\"describe\"," + start_->config + "}");
}

std::string Worker::answer(double seconds, std::string_view next) {
    try {
        return answer_of(*process_, start_->name, start_->python, seconds);
    } catch (const ProcessEnded& ended) {
        const std::lock_guard lock(ending_);
        end(ended.how, next);
        throw;
    }
}

std::string Worker::ask(const std::string& message) {
    process_->send(message);
    return answer(start_->time_limit, kNewEpisodes);
}

std::string Worker::ask_to_make(const std::string& message) {
    process_->send(message);
    return answer(kStartSeconds, kStartsAgain);
}

Description Worker::describe() {
    Description out = read_description(answer(kStartSeconds, kStartsAgain));
    has_described_ = true;
    return out;
}

void Worker::open(const Description& description) {
    layout_.emplace(description.spec, lanes_);
    slab_.data = process_->share(layout_->size);
    const std::string draws = start_->draws ? "true" : "false";
    process_->send("{\"call\":\"open\",\"draws\":" + draws + "," + layout_->json() + "}");
}

void Worker::finish() {
    answer(kStartSeconds, kStartsAgain);
}

std::vector<std::byte> Worker::save(std::uint32_t lane, std::string& why) {
    if (!is_open()) {
        why = "its worker process has ended";
        return {};
    }
    try {
        return save_lane([&](const std::string& message) { return ask(message); }, lane - first_, why);
    } catch (const ProcessEnded& ended) {  // the next step says so, too, and the worker is started again
        why = ended.what();
        return {};
    }
}

void Worker::load(std::uint32_t lane, const std::vector<std::byte>& bytes) {
    load_lane([&](const std::string& message) { return ask(message); }, lane - first_, bytes, start_->name);
}

tenon::PictureSize Worker::describe_picture() {
    tenon::PictureSize size;
    try {
        std::istringstream(ask_to_make("{\"call\":\"picture\"}")) >> size.height >> size.width >> size.steps_per_second;
    } catch (const tenon::InvalidArgument& error) {
        throw tenon::Unavailable(error.what());
    }
    return size;
}

void Worker::draw(std::uint32_t lane, std::span<std::uint8_t> pixels) {
    const std::lock_guard lock(drawing_);
    if (!is_open()) {
        throw tenon::Unavailable("its worker process has ended");
    }
    const std::string bytes = ask("{\"call\":\"draw\",\"lane\":" + std::to_string(lane - first_) + "}");
    if (bytes.size() != pixels.size()) {
        throw tenon::Unavailable("the worker process of " + start_->name + " drew a picture of another size");
    }
    std::memcpy(pixels.data(), bytes.data(), bytes.size());
}

std::vector<std::string> Worker::new_output() {
    const std::lock_guard lock(ending_);
    return process_ ? process_->new_output() : std::vector<std::string>();
}

void Worker::dismiss() {
    if (process_) {
        process_->dismiss();
    }
}

void Worker::post(const tenon::BatchRow& row, Command command, std::uint64_t seed) noexcept {
    if (slab_.data == nullptr) {  // it did not start again
        return;
    }
    ask_lane(slab_, *layout_, row.lane() - first_, row, command, seed);
}

bool Worker::is_done(std::uint32_t lane) const noexcept {
    return load_number(slab_.at<std::uint32_t>(layout_->done, lane)) == slab_.at<std::uint32_t>(layout_->request, lane);
}

Failure Worker::end(const std::string& how, std::string_view next) {
    const std::string lanes = lanes_ == 1
                                  ? "lane " + std::to_string(first_)
                                  : "lanes " + std::to_string(first_) + " to " + std::to_string(first_ + lanes_ - 1);
    const std::string what = "its worker process with " + lanes + " " + how + process_->what_it_said();
    if (start_->restarts == 0) {
        failure_ = {TN_INTERNAL, what + "; no restart is left", true};
    } else {
        --start_->restarts;
        failure_ = {TN_LOST,
                    what + "; " + std::string(next) + " (restarts left: " + std::to_string(start_->restarts) + ")",
                    true};
    }
    is_over_ = true;
    return failure_;
}

std::optional<Failure> Worker::await(std::uint32_t lane, Command command, Clock::time_point since) {
    constexpr long kLongestSleep = 50'000'000;
    for (long sleep = 2'000'000; true; sleep = std::min(2 * sleep, kLongestSleep)) {
        if (is_over_) {
            return failure_;
        }
        const std::uint32_t seen = load_number(slab_.at<std::uint32_t>(layout_->bell, 0));
        if (is_done(lane)) {
            return std::nullopt;
        }
        sleep_on(slab_.at<std::uint32_t>(layout_->bell, 0), seen, sleep);
        if (is_done(lane)) {
            return std::nullopt;
        }
        if (std::optional<Failure> failure = look(command, since)) {
            return failure;
        }
    }
}

// A failure if the process has ended, or the call has taken too long.
std::optional<Failure> Worker::look(Command command, Clock::time_point since) {
    const std::lock_guard lock(ending_);
    if (is_over_) {
        return failure_;
    }
    process_->trim_output();
    const std::string call = command == Command::kReset ? "reset" : "step";
    if (const std::optional<std::string> how = process_->ended()) {
        return end(*how + " in " + call, kNewEpisodes);
    }
    if (std::chrono::duration<double>(Clock::now() - since).count() > start_->time_limit) {
        process_->interrupt();
        return end("did not come back from " + call + " within " + seconds_text(start_->time_limit), kNewEpisodes);
    }
    return std::nullopt;
}

bool Worker::is_ready(std::uint32_t lane, Command command, Clock::time_point since) {
    constexpr std::chrono::milliseconds kBetweenLooks(20);
    if (is_over_ || is_done(lane - first_)) {
        return true;
    }
    const Clock::time_point now = Clock::now();
    if (now - looked_ < kBetweenLooks) {
        return false;
    }
    looked_ = now;
    return look(command, since).has_value();
}

std::optional<Failure> Worker::take(const tenon::BatchRow& row, Command command, Clock::time_point since) {
    const std::uint32_t lane = row.lane() - first_;
    if (slab_.data == nullptr) {
        return failure_;
    }
    if (!is_done(lane)) {
        if (std::optional<Failure> failure = await(lane, command, since)) {
            return failure;
        }
    }
    std::optional<Failure> failure = take_lane(slab_, *layout_, lane, row, command);
    has_stepped_ |= command != Command::kReset && !failure;
    return failure;
}

}  // namespace bridge
