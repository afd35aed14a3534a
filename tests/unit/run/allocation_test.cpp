// SPDX-License-Identifier: Apache-2.0
// What the loop calls again and again allocates nothing.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "run/event_files.hpp"
#include "run/metrics.hpp"
#include "run/progress.hpp"
#include "run/signals.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

TEST_CASE("records and progress allocate nothing") {
    const tenon::test::ScratchFolder scratch;
    auto metrics = tenon::Metrics::open(scratch.path(), {"frames", "rollout/ep_rew_mean", "time/fps"});
    REQUIRE(metrics.has_value());
    const int null = open("/dev/null", O_WRONLY);
    std::vector<double> values{0.1, -1e300, 5e-324};
    bool fine = true;
    tenon::EventFiles events(scratch / "tensorboard", {"rollout/ep_rew_mean", "time/fps", "train/loss"});
    fine = fine && events.record(1, 1, std::vector<double>{NAN, NAN, NAN}).has_value();

    const long before = allocations.load();
    for (const bool terminal : {false, true}) {
        tenon::Progress progress(null, {.terminal = terminal, .colour = true}, 1000);
        for (int i = 0; i < 1000; ++i) {
            values[0] = i;
            fine = fine && metrics->record(values).has_value();
            fine = fine && events.record(i, INT64_MAX - i, values).has_value();
            progress.update({.frames = i, .return_mean = values[1]}, 10.0 * i);
            fine = fine && !tenon::StopSignals::requested();
        }
    }
    const long after = allocations.load();

    close(null);
    CHECK(fine);
    CHECK(after == before);
    values.resize(10000);
    CHECK(allocations.load() > after);  // the counter counts
}
