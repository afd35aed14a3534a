// SPDX-License-Identifier: Apache-2.0
#include "train/plan/lane_counts.hpp"

#include <string>

#include "base/error/listed.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

void check_ready(const Manifest& m, Problems& problems) {
    const std::int64_t ready = m.collector->ready.value_or(0);
    if (ready > m.env.lanes) {
        problems.push_back(input_problem("collector.ready is " + std::to_string(ready) +
                                             (m.env.lanes == 1 ? ", but there is only " : ", but there are only ") +
                                             counted(m.env.lanes, "lane"),
                                         place_of(m, "collector.ready")));
    }
}

void check_share(const Manifest& m, Problems& problems) {
    const std::int64_t workers = m.collector->workers.value_or(1);
    if (m.env.lanes % workers != 0) {
        problems.push_back(
            input_problem("collector.workers is " + std::to_string(workers) + ", but " + counted(m.env.lanes, "lane") +
                              " cannot be shared equally by them",
                          place_of(m, "collector.workers"),
                          "set workers to a number that divides env.lanes, or env.lanes to a multiple of it"));
    }
}

}  // namespace

std::uint32_t worker_count(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    return static_cast<std::uint32_t>(m.collector->workers.value_or(m.env.lanes % 2 == 0 ? 2 : 1));
}

std::uint32_t lanes_to_wait_for(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    return static_cast<std::uint32_t>(m.collector->ready.value_or((m.env.lanes + 1) / 2));
}

void check_lane_counts(const Wiring& w, Problems& problems) {
    if (w.pools()) {
        check_ready(w.manifest, problems);
    } else if (w.collects_in_processes()) {
        check_share(w.manifest, problems);
    }
}

}  // namespace tenon
