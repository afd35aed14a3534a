// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "train/plan/capabilities/present.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// How the sampler chooses rows. Its needs concern only the buffer that collects, because the frames of the others never
// change.
void add_sampler(const BufferPlan& buffer, PresentParts& parts) {
    const auto add = [&](bool has, Feature feature) {
        if (has) {
            parts.push_back({.feature = feature,
                             .subject = buffer.sampling.sampler,
                             .place = buffer.table->component.place,
                             .about = buffer.table->component.path});
        }
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

void add_storage(const Wiring& w, const BufferPlan& buffer, PresentParts& parts) {
    const auto add = [&](const char* key, const std::string& value, Feature feature) {
        const std::string path = buffer.table->component.path + "." + key;
        parts.push_back(
            {.feature = feature, .subject = path + " = \"" + value + "\"", .place = place_of(w.manifest, path)});
    };
    if (buffer.keeps()) {
        add("writer", buffer.table->writer,
            buffer.table->writer == "reservoir" ? Feature::kReservoir : Feature::kKeepBest);
    }
    if (buffer.table->storage != "memory") {
        add("storage", buffer.table->storage,
            buffer.table->storage == "compressed" ? Feature::kCompressed : Feature::kMapped);
    }
}

}  // namespace

void add_buffer_parts(const Wiring& w, PresentParts& parts) {
    for (const BufferPlan& buffer : w.buffers) {
        if (!buffer.mixed.empty()) {
            continue;
        }
        add_sampler(buffer, parts);
        if (buffer.collects()) {
            add_storage(w, buffer, parts);
        }
    }
}

}  // namespace tenon
