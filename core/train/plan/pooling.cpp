// SPDX-License-Identifier: Apache-2.0
#include "train/plan/pooling.hpp"

#include <string>
#include <utility>

#include "base/error/counted.hpp"
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

// Lanes have their frames at different times, so whoever reads them in the order of steps is refused.
std::string order_that_is_read(const Wiring& w) {
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.by_batch() && w.manifest.train.episodes) {
            return "collects so many steps of each lane, but train.episodes asks for whole episodes";
        }
        if (!plan.by_batch() && plan.prepare.there()) {
            return "is not for " + plan.unit.component + ", which computes columns of the frames that have come";
        }
    }
    const BufferPlan* const buffer = w.collecting();
    if (buffer != nullptr && (buffer->takes_priorities || buffer->remembers || buffer->on_device)) {
        return "is not for " + buffer->sampling.sampler + ", which remembers frames by the order in which they came";
    }
    if (buffer != nullptr && buffer->table->storage != "memory") {
        return "needs a buffer in memory, but " + buffer->table->component.path + ".storage is \"" +
               buffer->table->storage + "\"";
    }
    if (buffer != nullptr && buffer->keeps()) {
        return "needs a buffer that keeps the newest frames, but " + buffer->table->component.path + ".writer is \"" +
               buffer->table->writer + "\"";
    }
    return "";
}

std::string other_reader(const Wiring& w) {
    if (w.procedure != nullptr) {
        return "is for networks, but " + w.procedure->info.name + ", which acts, is a procedure that acts in all lanes";
    }
    if (w.manifest.parameter_noise) {
        return "is not for [parameter_noise], which compares the newest steps of all lanes";
    }
    if (!w.manifest.hooks.empty()) {
        return "is not for runs with [[hooks]], which read the newest steps of all lanes";
    }
    if (w.manifest.collector->record) {
        return "is not for collector.record, which writes the steps of all lanes together";
    }
    return "";
}

}  // namespace

std::uint32_t lanes_to_wait_for(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    return static_cast<std::uint32_t>(m.collector->ready.value_or((m.env.lanes + 1) / 2));
}

void wire_pool(Wiring& w, const Lanes& lanes, Problems& problems) {
    check_ready(w, problems);
    if (!w.pools()) {
        return;
    }
    const Place place = place_of(w.manifest, "collector.kind");
    if (const Result<std::uint32_t> later = lanes.answers_later(); later) {
        w.at_once = *later;
    } else {
        problems.push_back(input_problem("collector.kind = \"pool\": " + later.error().sentence, place,
                                         "use kind = \"sync\", or \"async\" to collect while the run learns"));
    }
    for (const std::string& why : {order_that_is_read(w), other_reader(w)}) {
        if (!why.empty()) {
            problems.push_back(input_problem("collector.kind = \"pool\" " + why, place));
        }
    }
}

}  // namespace tenon
