// SPDX-License-Identifier: Apache-2.0
#include "train/plan/source_kind.hpp"

#include <algorithm>

namespace tenon {

const SourceKind* source_kind(const Host& host, std::string_view name) {
    const auto found = std::ranges::find(host.sources, name, &SourceKind::name);
    return found == host.sources.end() ? nullptr : *found;
}

const SourceKind* source_kind(const Wiring& wiring) {
    const auto& collector = wiring.manifest.collector;
    return collector ? source_kind(*wiring.host, collector->kind) : nullptr;
}

void check_source(const Wiring& w, Problems& problems) {
    if (const SourceKind* const kind = source_kind(w)) {
        kind->check(w, problems);
    } else if (w.pools() || w.collects_in_processes()) {
        problems.push_back(environment_problem("this program has no source \"" + w.manifest.collector->kind + "\"",
                                               place_of(w.manifest, "collector.kind")));
    }
}

}  // namespace tenon
