// SPDX-License-Identifier: Apache-2.0
#include "train/plan/worker_manifests.hpp"

#include <string>

#include "base/random/key.hpp"
#include "config/manifest/write.hpp"
#include "train/plan/lane_counts.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// A run.seed may be as large.
constexpr std::uint64_t kSeeds = std::uint64_t{1} << 53U;

}  // namespace

std::vector<std::string> worker_manifests(const Wiring& wiring) {
    std::vector<ResolvedComponent> components;
    each_part(wiring.parts,
              [&](const Part& part) { components.push_back(resolved(*part.table, part.schema(), part.values)); });
    Manifest m = wiring.manifest;
    const std::uint32_t workers = worker_count(wiring);
    m.env.lanes /= workers;
    m.run.threads = 1;
    m.run.device = "cpu";
    m.run.learn_on = "auto";
    m.run.jit = "auto";
    m.collector.reset();
    m.eval.envs.clear();
    m.plugins.search.insert(m.plugins.search.begin(), wiring.host->folders.begin(), wiring.host->folders.end());
    std::vector<std::string> out;
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
        if (worker > 0) {
            const tn_key key = make_key(static_cast<std::uint64_t>(wiring.manifest.run.seed),
                                        "collector/worker/" + std::to_string(worker));
            m.run.seed = static_cast<std::int64_t>(key.stream % kSeeds);
        }
        out.push_back(write_resolved(m, components));
    }
    return out;
}

}  // namespace tenon
