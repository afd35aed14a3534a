// SPDX-License-Identifier: Apache-2.0
#include "base/profile/profile.hpp"

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace profile_test {

using tenon::Profile;
using tenon::Timed;
using tenon::TimedPart;
using tenon::Work;

namespace {

void wait_ms(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

double seconds_of(const Profile& profile, const std::string& name) {
    double out = 0;
    for (const Profile::Spent& part : profile.spent()) {
        out += part.name == name ? part.seconds : 0;
    }
    return out;
}

}  // namespace

TEST_CASE("a span's own time excludes the spans inside it, and all own times add up") {
    Profile profile;
    const std::size_t outer = profile.span(Work::kUpdating, "updating critic");
    const std::size_t inner = profile.span(Work::kGathering);
    {
        const Timed timed(&profile, outer);
        wait_ms(20);
        const Timed nested(&profile, inner);
        wait_ms(40);
    }
    CHECK(seconds_of(profile, "updating critic") >= 0.020);
    CHECK(seconds_of(profile, "gathering") >= 0.040);
    CHECK(seconds_of(profile, "updating critic") < seconds_of(profile, "gathering"));
    double total = 0;
    for (const Profile::Spent& part : profile.spent()) {
        total += part.seconds;
    }
    CHECK(total == Catch::Approx(static_cast<double>(profile.now()) * 1e-9).epsilon(0.05));
}

TEST_CASE("envs and transforms are carved out of the lanes' steps, by the threads that share a step") {
    Profile profile;
    std::array<double, 2> of_threads{};
    const auto step = [&](double& seconds) {
        const Profile::Nanoseconds begin = profile.now();
        {
            const TimedPart part(&profile, Work::kEnv, 2);
            wait_ms(40);
        }
        seconds = static_cast<double>(profile.now() - begin) * 1e-9;
    };
    {
        const Timed timed(&profile, profile.span(Work::kLanes));
        std::thread other([&] { step(of_threads[0]); });
        step(of_threads[1]);
        other.join();
        const TimedPart part(&profile, Work::kTransforms, 1);
        wait_ms(20);
    }
    CHECK(seconds_of(profile, "env") >= 0.040);
    CHECK(seconds_of(profile, "env") <= (of_threads[0] + of_threads[1]) / 2);  // not the sum of both
    CHECK(seconds_of(profile, "transforms") >= 0.020);
    double total = 0;
    for (const Profile::Spent& part : profile.spent()) {
        total += part.seconds;
    }
    CHECK(total == Catch::Approx(static_cast<double>(profile.now()) * 1e-9).epsilon(0.05));
}

TEST_CASE("time of envs counts once, wherever lanes are reset or stepped") {
    Profile profile;
    const auto work = [&] {
        const TimedPart part(&profile, Work::kEnv, 1);
        wait_ms(20);
    };
    work();  // outside of all spans
    {
        const Timed building(&profile, profile.span(Work::kOther, "building programs"));
        work();
        const Timed inner(&profile, profile.span(Work::kLanes));
        work();
    }
    {
        const Timed waiting(&profile, profile.span(Work::kLanes, "waiting for frames"));
        work();
    }
    CHECK(seconds_of(profile, "env") >= 0.080);
    for (const Profile::Spent& part : profile.spent()) {  // they add up to the time since the profile was made
        INFO(part.name);
        CHECK(part.seconds >= 0);
    }
}

TEST_CASE("spans of one work and name are one") {
    Profile profile;
    const std::size_t critic = profile.span(Work::kStepping, "stepping critic");
    CHECK(profile.span(Work::kStepping, "stepping critic") == critic);
    CHECK(profile.span(Work::kUpdating, "stepping critic") != critic);
    CHECK(profile.name(profile.span(Work::kSaving)) == "saving");
}

TEST_CASE("events are kept up to a limit") {
    Profile profile;
    profile.keep_events(3);
    const std::size_t span = profile.span(Work::kPolicy);
    for (int i = 0; i < 3; ++i) {
        const Timed timed(&profile, span);
    }
    CHECK(profile.events().size() == 3);
    CHECK(!profile.has_dropped_events());
    {
        const Timed timed(&profile, span);
    }
    CHECK(profile.events().size() == 3);
    CHECK(profile.has_dropped_events());
    CHECK(profile.events()[1].begin >= profile.events()[0].begin + profile.events()[0].duration);
}

TEST_CASE("a run that is not measured has no spans") {
    const Timed timed(nullptr, 7);
    const TimedPart part(nullptr, Work::kEnv, 1);
}

}  // namespace profile_test
