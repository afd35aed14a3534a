// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error/listed.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// How the sampler chooses rows. Its needs concern only the buffer that collects, because the frames of the others never
// change.
void add_sampler(const BufferPlan& buffer, PresentParts& parts) {
    const auto add = [&](bool has, Feature feature) {
        add_part(parts, has,
                 {.feature = feature,
                  .subject = buffer.sampling.sampler,
                  .place = buffer.table->component.place,
                  .about = buffer.table->component.path});
    };
    add(buffer.takes_priorities, Feature::kDrawByPriority);
    add(buffer.on_device, Feature::kDrawOnDevice);
    add(buffer.remembers && !buffer.takes_priorities && !buffer.on_device, Feature::kDrawByMemory);
    add(buffer.options.change(), Feature::kDrawByChange);
    if (buffer.collects()) {
        add(buffer.takes_priorities || buffer.remembers || buffer.on_device, Feature::kSamplerByOrder);
        add(buffer.sampling.time > 0 || buffer.sampling.array_count > 1, Feature::kDrawOfSteps);
    }
}

// While another thread collects, the updates read the frames of the round before.
void add_short_buffer(const Wiring& w, const BufferPlan& buffer, PresentParts& parts) {
    const std::int64_t batch = w.manifest.train.batch;
    const std::int64_t steps = batch / std::max<std::int64_t>(w.manifest.env.lanes, 1);
    if (w.collects_async() && !buffer.keeps() && storage_slots(w) - 1 <= 2 * steps) {
        const std::string key = buffer.table->component.path + ".capacity";
        parts.push_back(
            {.feature = Feature::kShortBuffer,
             .subject = key,
             .place = place_of(w.manifest, key),
             .clause = key + " has room for no more than two rounds, which are " + counted(2 * batch, "frame")});
    }
}

}  // namespace

void add_buffer_parts(const Wiring& w, PresentParts& parts) {
    for (const BufferPlan& buffer : w.buffers) {
        const std::string& path = buffer.table->component.path;
        const std::size_t before = parts.size();
        add_key(w.manifest, parts, !buffer.mixed.empty(), Feature::kMixture, path);
        add_key(w.manifest, parts, buffer.mixed.empty() && !buffer.collects(), Feature::kHeldBuffer, path + ".collects",
                "false");
        if (parts.size() != before) {
            parts.back().about = path;
            parts.back().of = {path};
        }
        if (!buffer.mixed.empty()) {
            continue;
        }
        add_sampler(buffer, parts);
        if (buffer.collects()) {
            add_storage_parts(w.manifest, *buffer.table, parts);
            add_short_buffer(w, buffer, parts);
        }
    }
}

}  // namespace tenon
