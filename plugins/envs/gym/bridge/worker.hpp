// SPDX-License-Identifier: Apache-2.0
// One worker process and the lanes that it steps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "description.hpp"
#include "process.hpp"
#include "rows.hpp"
#include "slab.hpp"
#include "tenon/env_rows.hpp"
#include "tenon/picture.hpp"

namespace bridge {

// How the workers of an env are started.
struct Start {
    std::string python;
    std::string package;
    std::string config;  // of the environments, the members of a JSON object
    std::string name;    // of the environments in sentences
    double time_limit = 0;
    std::int64_t restarts = 0;  // that are left to all workers
    bool draws = false;         // whether the environments are made to draw
};

class Worker {
public:
    using Clock = std::chrono::steady_clock;

    Worker(Start& start, std::uint32_t first, std::uint32_t lanes);

    [[nodiscard]] std::uint32_t first() const { return first_; }
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
    [[nodiscard]] bool has_begun() const { return process_ != nullptr && !is_over_; }
    [[nodiscard]] bool has_described() const { return has_described_; }
    [[nodiscard]] bool is_open() const { return slab_.data != nullptr && !is_over_; }

    // How it ended, once it is over.
    [[nodiscard]] const Failure& failure() const { return failure_; }
    // Whether it has ended for good: no restart is left.
    [[nodiscard]] bool is_given_up() const { return is_over_ && failure_.status != TN_LOST; }

    // Starts the process, again after it has ended, and asks for a description of the environments. These functions
    // throw ProcessEnded if the process ends. The worker is then over until it begins again.
    void begin();
    Description describe();
    // Makes the environments; finish waits until that is done.
    void open(const Description& description);
    void finish();

    // Asks for a step or the beginning of an episode, with a seed or kContinue; the worker looks when it is rung.
    void post(const tenon::BatchRow& row, Command command, std::uint64_t seed) noexcept;
    void ring() const noexcept { process_->ring(); }

    // Whether take has a result, or a failure, without waiting. Looks now and then whether the process still runs.
    bool is_ready(std::uint32_t lane, Command command, Clock::time_point since);
    // Waits until a lane has done what was asked and takes over its results. If it fails, the sentence says why.
    std::optional<Failure> take(const tenon::BatchRow& row, Command command, Clock::time_point since);

    // The environment of a lane as bytes; none, and why, if it cannot be pickled.
    std::vector<std::byte> save(std::uint32_t lane, std::string& why);
    void load(std::uint32_t lane, const std::vector<std::byte>& bytes);

    // How large the pictures are; before the environments are made. Throws tenon::Unavailable if there are none.
    tenon::PictureSize describe_picture();
    void draw(std::uint32_t lane, std::span<std::uint8_t> pixels);

    // The answer to a message, within the time that a step may take. Throws tenon::InvalidArgument with the worker's
    // sentence.
    std::string ask(const std::string& message);
    // The same for one that makes an environment, which takes longer.
    std::string ask_to_make(const std::string& message);

    // What its process has printed since the last call.
    std::vector<std::string> new_output();

    // Asks the process to end.
    void dismiss();

private:
    [[nodiscard]] bool is_done(std::uint32_t lane) const noexcept;
    // A failure if the process ended or the time is up.
    std::optional<Failure> await(std::uint32_t lane, Command command, Clock::time_point since);
    std::optional<Failure> look(Command command, Clock::time_point since);
    std::string answer(double seconds, std::string_view next);

    // Counts a restart. `next` says what happens then.
    Failure end(const std::string& how, std::string_view next);

    Start* start_;
    std::uint32_t first_;
    std::uint32_t lanes_;
    std::optional<SlabLayout> layout_;
    Slab slab_;
    std::unique_ptr<Process> process_;
    std::mutex drawing_;                 // of threads that draw lanes
    std::mutex ending_;                  // of threads that step ranges of lanes, when the process ends
    Failure failure_;                    // of all its lanes, once it is over
    std::atomic<bool> is_over_ = false;  // the process has ended or was killed
    bool has_described_ = false;
    bool has_stepped_ = false;  // since it began
    Clock::time_point looked_;  // when is_ready looked last
    int fruitless_ = 0;         // beginnings in a row that did not come to a step
};

}  // namespace bridge
