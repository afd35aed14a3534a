// SPDX-License-Identifier: Apache-2.0
#include "base/profile/profile.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tenon {
namespace {

double seconds_of(Profile::Nanoseconds time) {
    return static_cast<double>(time) * 1e-9;
}

}  // namespace

std::string_view name_of(Work work) {
    static constexpr std::array<std::string_view, kWorks> kNames = {
        "policy",   "env",      "transforms", "lanes",     "sampling", "gathering", "preparing",
        "updating", "stepping", "evaluating", "recording", "saving",   "other"};
    return kNames[static_cast<std::size_t>(work)];
}

Profile::Profile() : start_(std::chrono::steady_clock::now()) {}

Profile::Nanoseconds Profile::now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
}

std::size_t Profile::span(Work work, std::string name) {
    name = name.empty() ? std::string(name_of(work)) : std::move(name);
    const auto known =
        std::ranges::find_if(spans_, [&](const Span& span) { return span.work == work && span.name == name; });
    if (known == spans_.end()) {
        spans_.push_back({.work = work, .name = std::move(name)});
        return spans_.size() - 1;
    }
    return static_cast<std::size_t>(known - spans_.begin());
}

void Profile::begin(std::size_t span) {
    assert(depth_ < kDeepest);
    open_[depth_++] = {.span = span, .begin = now(), .shared_before = shared()};
}

void Profile::end() {
    const Open& ended = open_[--depth_];
    const Nanoseconds duration = now() - ended.begin;
    const Nanoseconds unshared = duration - (shared() - ended.shared_before);
    spans_[ended.span].own += unshared - ended.inner;
    ++spans_[ended.span].count;
    if (depth_ > 0) {
        open_[depth_ - 1].inner += unshared;
    }
    if (most_events_ > 0) {
        events_.size() < most_events_ ? events_.push_back({ended.span, ended.begin, duration}) : void(dropped_ = true);
    }
}

void Profile::keep_events(std::size_t most) {
    events_.reserve(most);
    most_events_ = most;
}

Profile::Nanoseconds Profile::shared() const {
    Nanoseconds out = 0;
    for (const std::atomic<Nanoseconds>& each : shared_) {
        out += each.load(std::memory_order_relaxed);
    }
    return out;
}

std::vector<Profile::Spent> Profile::spent() const {
    std::vector<Spent> out;
    double total = 0;
    for (std::size_t i = 0; i < kWorks; ++i) {
        const Work work{static_cast<std::uint8_t>(i)};
        const Nanoseconds time = shared_[i].load(std::memory_order_relaxed);
        if (time > 0) {
            out.push_back({.work = work, .name = std::string(name_of(work)), .seconds = seconds_of(time)});
            total += out.back().seconds;
        }
    }
    for (const Span& span : spans_) {
        if (span.count > 0) {
            out.push_back({span.work, span.name, seconds_of(span.own), span.count});
            total += out.back().seconds;
        }
    }
    out.push_back(
        {.work = Work::kOther, .name = std::string(name_of(Work::kOther)), .seconds = seconds_of(now()) - total});
    std::ranges::stable_sort(out, {}, &Spent::work);
    return out;
}

std::array<double, kWorks> Profile::seconds() const {
    std::array<double, kWorks> out{};
    for (const Spent& part : spent()) {
        out[static_cast<std::size_t>(part.work)] += part.seconds;
    }
    return out;
}

}  // namespace tenon
