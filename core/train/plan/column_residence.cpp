// SPDX-License-Identifier: Apache-2.0
#include "train/plan/column_residence.hpp"

#include <string>

#include "train/plan/capabilities/present.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Why columns stay on the host. Programs are lowered only if there is no other reason, because this takes long.
std::string why_on_host(const Wiring& w, const Lanes& lanes, const Learner& learner) {
    PresentParts parts;
    const auto why = [&] { return reason_of(parts, Relation::kNeeds, Capability::kHostColumns).why; };
    add_host_parts(w, lanes, parts);
    add_collector_parts(w, parts);
    add_acting_parts(w, parts);
    add_buffer_parts(w, parts);
    add_objective_parts(w, parts);
    if (why().empty()) {
        add_host_acting(w, learner, parts);
    }
    if (why().empty()) {
        add_host_objectives(w, parts);
    }
    if (why().empty()) {
        add_host_programs(w, learner, parts);
    }
    return why();
}

}  // namespace

void wire_columns(Wiring& wiring, const Lanes& lanes, const Learner& learner) {
    wiring.why_columns_on_host = why_on_host(wiring, lanes, learner);
}

}  // namespace tenon
