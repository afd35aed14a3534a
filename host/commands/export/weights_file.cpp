// SPDX-License-Identifier: Apache-2.0
#include "commands/export/weights_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/file/atomic.hpp"
#include "train/checkpoint/safetensors_header.hpp"
#include "train/plan/weights.hpp"

namespace tenon {
namespace {

Status write(const OpenedRun& run, const std::filesystem::path& out) {
    const Wiring& wiring = *run.setup.wiring;
    Learner learner = TENON_TRY(learner_at(wiring, run.checkpoint.folder));
    return write_file(out, [&](const std::filesystem::path& temporary) {
        return write_weights(temporary, learner, WeightSlab::kLive, description_of(wiring, run.checkpoint.frames));
    });
}

}  // namespace

TensorMetadata description_of(const Wiring& wiring, std::int64_t frames) {
    TensorMetadata out{{"frames", std::to_string(frames)}};
    for (const PolicyTable& policy : wiring.manifest.policies) {
        out["component." + policy.name] = policy.component.ref.plugin;
    }
    for (const Spec& spec : wiring.env_specs.specs) {
        out["column." + spec.key] = describe_stored(static_cast<std::int32_t>(spec.dtype), spec.shape.extents());
    }
    return out;
}

bool export_safetensors(const RunRequest& request, const std::filesystem::path& out, const Notice& notice,
                        Problems& problems) {
    const std::optional<OpenedRun> opened = open_run(request, "exported", notice, problems);
    return opened && is_done(write(*opened, out), problems);
}

}  // namespace tenon
