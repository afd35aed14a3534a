// SPDX-License-Identifier: Apache-2.0
#include "train/plan/lane_counts.hpp"

#include <string>

#include "base/error/listed.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

void check_ready(const Wiring& w, Problems& problems) {
    const Manifest& m = w.manifest;
    if (!m.collector || !m.collector->ready) {
        return;
    }
    const Place place = place_of(m, "collector.ready");
    if (!w.pools()) {
        problems.push_back(
            input_problem("collector.ready is the number of lanes that a pool waits for, but with "
                          "collector.kind = \"" +
                              m.collector->kind + "\" every step is one of all lanes",
                          place, "set collector.kind = \"pool\", or remove ready"));
    } else if (*m.collector->ready > m.env.lanes) {
        problems.push_back(input_problem("collector.ready is " + std::to_string(*m.collector->ready) +
                                             (m.env.lanes == 1 ? ", but there is only " : ", but there are only ") +
                                             counted(m.env.lanes, "lane"),
                                         place));
    }
}

void check_share(const Wiring& w, Problems& problems) {
    const Manifest& m = w.manifest;
    if (!m.collector || !m.collector->workers) {
        return;
    }
    const std::int64_t workers = *m.collector->workers;
    const Place place = place_of(m, "collector.workers");
    if (!w.collects_in_processes()) {
        problems.push_back(
            input_problem("collector.workers is the number of processes that collect, but with collector.kind = \"" +
                              m.collector->kind + "\" there are none",
                          place, "set collector.kind = \"processes\", or remove workers"));
    } else if (m.env.lanes % workers != 0) {
        problems.push_back(
            input_problem("collector.workers is " + std::to_string(workers) + ", but " + counted(m.env.lanes, "lane") +
                              " cannot be shared equally by them",
                          place, "set workers to a number that divides env.lanes, or env.lanes to a multiple of it"));
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
    check_ready(w, problems);
    check_share(w, problems);
}

}  // namespace tenon
