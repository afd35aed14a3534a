// SPDX-License-Identifier: Apache-2.0
#include "env/spec_watch.hpp"

#include "data/spec_values.hpp"
#include "env/row_values.hpp"

namespace tenon {

SpecWatch::SpecWatch(const Composite& specs, const Storage& storage) {
    for (const Spec& spec : specs.specs) {
        const StorageColumn* const column = storage.find(spec.key);
        if (spec.role == Role::kObservation && column != nullptr) {
            observations_.push_back({spec, column->view});
        }
    }
}

std::string SpecWatch::look(const Storage& storage) {
    const std::uint32_t slot = storage.head();
    for (Watched& watched : observations_) {
        for (std::uint32_t lane = 0; lane < storage.lanes() && !watched.said; ++lane) {
            if (storage.parked()[lane] != 0 || contains(watched.spec, row_at(watched.view, slot, lane))) {
                continue;
            }
            watched.said = true;
            return "it observes " + row_text(watched.view, slot, lane) + " in lane " + std::to_string(lane) +
                   ", but its spec is " + to_string(watched.spec) + "; this is reported once";
        }
    }
    return "";
}

}  // namespace tenon
