// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/timing.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

namespace tenon {
namespace {

constexpr int kWarmUp = 5;
constexpr std::size_t kLeast = 50;
constexpr std::size_t kLeastOfSlow = 5;
constexpr double kWorthTiming = 30;  // microseconds; reading the clocks takes one
constexpr int kMostAtOnce = 1024;
constexpr int kTogether = 32;  // calls that are finished together

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double processor_microseconds() {
    std::timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double>& values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

Status call_often(const std::function<Status()>& call, int calls, const std::function<Status()>& finish) {
    for (int i = 0; i < calls; ++i) {
        TENON_TRY(call());
    }
    return finish ? finish() : Status();
}

}  // namespace

Result<Times> time_calls(const std::function<Status()>& call, double seconds, const std::function<Status()>& finish) {
    TENON_TRY(call_often(call, kWarmUp - 1, finish));
    const Clock::time_point warm = Clock::now();  // what is made or compiled once exists now
    TENON_TRY(call_often(call, 1, finish));
    const double one = std::max(microseconds_since(warm), 1.0);
    std::vector<double> times;
    std::vector<double> processor;
    const double together = 1e6 * seconds / (one * static_cast<double>(kLeast));
    int at_once = finish ? static_cast<int>(std::clamp(together, 1.0, double{kTogether})) : 1;
    const Clock::time_point first = Clock::now();
    const auto goes_on = [&] {
        const double spent = microseconds_since(first) / (1e6 * seconds);
        return spent < 1 || (times.size() < kLeast && (spent < 2 || times.size() < kLeastOfSlow));
    };
    while (goes_on()) {
        const double used = processor_microseconds();
        const Clock::time_point start = Clock::now();
        TENON_TRY(call_often(call, at_once, finish));
        const double took = microseconds_since(start);
        if (times.empty() && took < kWorthTiming && at_once < kMostAtOnce) {
            at_once *= 2;
            continue;
        }
        times.push_back(took / at_once);
        processor.push_back((processor_microseconds() - used) / at_once);
    }
    const double middle = median(times);
    return Times{.median_us = middle,
                 .min_us = times.front(),
                 .p95_us = times[times.size() * 95 / 100],
                 .cpu_us = median(processor)};
}

}  // namespace tenon
