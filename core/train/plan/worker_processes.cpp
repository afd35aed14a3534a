// SPDX-License-Identifier: Apache-2.0
#include "train/plan/worker_processes.hpp"

#include <string>
#include <string_view>

#include "base/error/counted.hpp"
#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "config/manifest/write.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// A run.seed may be as large.
constexpr std::uint64_t kSeeds = std::uint64_t{1} << 53U;

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

std::string what_cannot_be(const Wiring& w, const Lanes& like) {
    if (w.procedure != nullptr) {
        return "is for networks, but " + w.procedure->info.name + ", which acts, is a procedure";
    }
    if (!w.parts.training.tasks.empty()) {
        return "is for lanes of one env, but here several tasks ([[env.tasks]]) have them";
    }
    for (const BufferPlan& buffer : w.buffers) {
        if (buffer.on_device) {
            return "is not for " + buffer.sampling.sampler + ", which chooses rows on a device";
        }
    }
    const std::vector<std::string> common = like.commons();
    return common.empty() ? "" : "is not for transforms that learn from all lanes together: " + listed(common);
}

}  // namespace

std::uint32_t worker_count(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    return static_cast<std::uint32_t>(m.collector->workers.value_or(m.env.lanes % 2 == 0 ? 2 : 1));
}

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

void check_workers(const Wiring& w, const Lanes& like, Problems& problems) {
    check_share(w, problems);
    if (!w.collects_in_processes()) {
        return;
    }
    if (const std::string why = what_cannot_be(w, like); !why.empty()) {
        problems.push_back(input_problem("collector.kind = \"processes\" " + why,
                                         place_of(w.manifest, "collector.kind"),
                                         "use kind = \"async\": another thread collects then"));
    }
}

}  // namespace tenon
