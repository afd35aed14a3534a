// SPDX-License-Identifier: Apache-2.0
#include "train/plan/recording_kind.hpp"

#include "train/plan/left_out.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

void check_recording(const Wiring& w, Problems& problems) {
    if (!w.manifest.collector || !w.manifest.collector->record) {
        return;
    }
    if (w.host->recordings.empty()) {
        problems.push_back(
            left_out("this program records no episodes that a run collects", place_of(w.manifest, "collector.record")));
        return;
    }
    w.host->recordings.front()->check(w, problems);
}

}  // namespace tenon
