// SPDX-License-Identifier: Apache-2.0
#include "train/plan/worker_manifest.hpp"

#include <utility>
#include <vector>

#include "config/manifest/write.hpp"
#include "train/plan/lane_counts.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

std::string worker_manifest(const Wiring& wiring) {
    std::vector<ResolvedComponent> components;
    each_part(wiring.parts,
              [&](const Part& part) { components.push_back(resolved(*part.table, part.schema(), part.values)); });
    Manifest m = wiring.manifest;
    m.env.lanes /= worker_count(wiring);
    m.run.threads = 1;
    m.run.device = "cpu";
    m.run.learn_on = "auto";
    m.run.jit = "auto";
    m.collector.reset();
    m.eval.envs.clear();
    m.plugins.search.insert(m.plugins.search.begin(), wiring.host->folders.begin(), wiring.host->folders.end());
    return write_resolved(m, components);
}

}  // namespace tenon
