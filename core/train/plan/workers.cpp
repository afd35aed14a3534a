// SPDX-License-Identifier: Apache-2.0
#include "train/plan/workers.hpp"

#include <string_view>

#include "base/error/listed.hpp"
#include "base/file/launch_site.hpp"
#include "config/manifest/write.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

namespace {

constexpr std::string_view kKey = "collector.via";

Result<std::vector<std::string>> words_of(const std::string& text) {
    std::vector<std::string> words = TENON_TRY(words_of_command(text, kKey));
    TENON_TRY(check_command(words, kKey));
    return words;
}

}  // namespace

Result<std::vector<std::vector<std::string>>> worker_commands(const Manifest& manifest) {
    std::vector<std::vector<std::string>> out;
    for (const std::string& text : manifest.collector ? manifest.collector->via : std::vector<std::string>()) {
        out.push_back(TENON_TRY(placed(words_of(text), place_of(manifest, kKey))));
    }
    return out;
}

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
