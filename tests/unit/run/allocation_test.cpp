// SPDX-License-Identifier: Apache-2.0
// What the loop calls again and again allocates nothing.
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file/stop_signals.hpp"
#include "engines/writer_tensorboard/event_files.hpp"
#include "folder/records/metrics.hpp"
#include "run/sessions/progress.hpp"
#include "support/catch.hpp"
#include "support/counted_allocations.hpp"
#include "support/scratch_folder.hpp"

namespace allocation_test {

TEST_CASE("records and progress allocate nothing") {
    const tenon::test::ScratchFolder scratch;
    auto metrics = tenon::Metrics::open(scratch.path(), {"frames", "rollout/ep_rew_mean", "time/fps"});
    REQUIRE(metrics.has_value());
    const int null = open("/dev/null", O_WRONLY);
    std::vector<double> values{0.1, -1e300, 5e-324};
    bool fine = true;
    tenon::EventFiles events(scratch / "tensorboard", {"rollout/ep_rew_mean", "time/fps", "train/loss"});
    fine = fine && events.record(1, 1, std::vector<double>{NAN, NAN, NAN}).has_value();

    const std::uint64_t before = tenon::test::all_allocations();
    for (const bool terminal : {false, true}) {
        tenon::Progress progress(null, {.redraws = terminal, .colour = true}, 1000);
        for (int i = 0; i < 1000; ++i) {
            values[0] = i;
            fine = fine && metrics->record(values).has_value();
            fine = fine && events.record(i, INT64_MAX - i, values).has_value();
            progress.update({.frames = i, .return_mean = values[1]}, 10.0 * i);
            fine = fine && !tenon::StopSignals::requested();
        }
    }
    const std::uint64_t after = tenon::test::all_allocations();

    close(null);
    CHECK(fine);
    CHECK(after == before);
    values.resize(10000);
    CHECK(tenon::test::all_allocations() > after);  // the counter counts
}

}  // namespace allocation_test
