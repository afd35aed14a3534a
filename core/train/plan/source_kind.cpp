// SPDX-License-Identifier: Apache-2.0
#include "train/plan/source_kind.hpp"

#include <algorithm>

#include "compute/exec/device_engine.hpp"
#include "train/plan/left_out.hpp"

namespace tenon {
namespace {

// Whether lanes step in this process, for which no engine is needed.
bool is_of_this_process(std::string_view kind) {
    return kind == "sync" || kind == "async";
}

}  // namespace

const SourceKind* source_kind(SourceKinds kinds, std::string_view name) {
    const auto found = std::ranges::find(kinds, name, &SourceKind::name);
    return found == kinds.end() ? nullptr : *found;
}

const SourceKind* source_kind(const Wiring& wiring) {
    const auto& collector = wiring.manifest.collector;
    return collector ? source_kind(wiring.host->sources, collector->kind) : nullptr;
}

Result<std::shared_ptr<Device>> open_device_with(SourceKinds kinds, std::string_view name, JitWhen jit) {
    std::shared_ptr<Device> device = TENON_TRY(open_device_or_cpu(name, jit));
    if (const SourceKind* const kind = source_kind(kinds, kSourceOnDevice); device != nullptr && kind != nullptr) {
        device->parts = kind->parts_of_devices();
    }
    return device;
}

void check_source(const Wiring& w, Problems& problems) {
    if (const SourceKind* const kind = source_kind(w)) {
        kind->check(w, problems);
    } else if (w.manifest.collector && !is_of_this_process(w.manifest.collector->kind)) {
        problems.push_back(left_out("this program has no source \"" + w.manifest.collector->kind + "\"",
                                    place_of(w.manifest, "collector.kind")));
    }
}

}  // namespace tenon
