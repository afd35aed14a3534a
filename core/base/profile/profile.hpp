// SPDX-License-Identifier: Apache-2.0
// Where the time of a run goes. The thread that runs the loop begins and ends spans, which nest: a span's own time
// excludes the spans inside it, so that all own times add up to the time measured. A run that is not measured has no
// profile, and every span in it costs one comparison.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// What time is spent on. These are also the names of metrics under time/, so the list is the same for all runs.
enum class Work : std::uint8_t {
    kPolicy,      // acting
    kEnv,         // steps of the env and its wrappers
    kTransforms,  // of columns
    kLanes,       // the rest of a step: storage, checks of outputs, waiting for other threads
    kSampling,    // choosing rows
    kGathering,   // copying them to a batch
    kPreparing,   // programs over whole batches: advantages, returns
    kUpdating,    // losses and gradients
    kStepping,    // clipping, optimisers, targets
    kEvaluating,
    kRecording,  // metric files
    kSaving,     // checkpoints
    kOther,      // whatever has no span
};
inline constexpr std::size_t kWorks = static_cast<std::size_t>(Work::kOther) + 1;

std::string_view name_of(Work work);

class Profile {
public:
    using Nanoseconds = std::int64_t;

    Profile();  // measures from now on

    // The number of a span; spans of the same work and name are one. An empty name: the work's. Not for the steady
    // loop.
    std::size_t span(Work work, std::string name = {});

    // [the loop's thread] Allocate nothing. Spans end in the reverse order of their beginnings.
    void begin(std::size_t span);
    void end();

    // [any thread] Time spent on other work within the present spans, or outside of all.
    void add(Work work, Nanoseconds time) {
        shared_[static_cast<std::size_t>(work)].fetch_add(time, std::memory_order_relaxed);
    }

    struct Spent {
        Work work;
        std::string name;
        double seconds = 0;
        std::uint64_t count = 0;  // of spans; 0: it is not counted
    };
    // In the order of Work, those with a count or a time. They add up to the seconds since the profile was made.
    [[nodiscard]] std::vector<Spent> spent() const;
    // The same, by work.
    [[nodiscard]] std::array<double, kWorks> seconds() const;

    // One span as it happened, for a trace.
    struct Event {
        std::size_t span;
        Nanoseconds begin;  // since the profile was made
        Nanoseconds duration;
    };
    // From now on, keeps events, up to this many.
    void keep_events(std::size_t most);
    [[nodiscard]] std::span<const Event> events() const { return events_; }
    [[nodiscard]] bool has_dropped_events() const { return dropped_; }
    [[nodiscard]] const std::string& name(std::size_t span) const { return spans_[span].name; }
    [[nodiscard]] Work work(std::size_t span) const { return spans_[span].work; }

    [[nodiscard]] Nanoseconds now() const;

private:
    struct Span {
        Work work;
        std::string name;
        Nanoseconds own = 0;
        std::uint64_t count = 0;
    };
    struct Open {
        std::size_t span = 0;
        Nanoseconds begin = 0;
        Nanoseconds shared_before = 0;
        Nanoseconds inner = 0;  // of the spans inside it, without what was added to them
    };
    static constexpr std::size_t kDeepest = 8;

    [[nodiscard]] Nanoseconds shared() const;  // the sum of all added times

    std::chrono::steady_clock::time_point start_;
    std::vector<Span> spans_;
    std::array<Open, kDeepest> open_{};
    std::size_t depth_ = 0;
    std::array<std::atomic<Nanoseconds>, kWorks> shared_{};
    std::vector<Event> events_;
    std::size_t most_events_ = 0;
    bool dropped_ = false;
};

// A span of a profile for as long as this lives; nothing for a run that is not measured.
class Timed {
public:
    Timed(Profile* profile, std::size_t span) : profile_(profile) {
        if (profile_ != nullptr) {
            profile_->begin(span);
        }
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() {
        if (profile_ != nullptr) {
            profile_->end();
        }
    }

private:
    Profile* profile_;
};

// The work that a thread of the pool does within a step of the lanes. If n threads share the step, a second of one of
// them counts as 1/n second of the loop.
class TimedPart {
public:
    TimedPart(Profile* profile, Work work, unsigned threads)
        : profile_(profile), work_(work), threads_(threads), begin_(profile != nullptr ? profile->now() : 0) {}
    TimedPart(const TimedPart&) = delete;
    TimedPart& operator=(const TimedPart&) = delete;
    ~TimedPart() {
        if (profile_ != nullptr) {
            profile_->add(work_, (profile_->now() - begin_) / threads_);
        }
    }

private:
    Profile* profile_;
    Work work_;
    unsigned threads_;
    Profile::Nanoseconds begin_;
};

}  // namespace tenon
