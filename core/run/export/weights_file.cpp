// SPDX-License-Identifier: Apache-2.0
#include "run/export/weights_file.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/file/atomic.hpp"
#include "run/records/folder.hpp"
#include "run/sessions/scoring.hpp"
#include "train/checkpoint/safetensors_header.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/initial_weights.hpp"
#include "train/plan/weights.hpp"

namespace tenon {
namespace {

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

Status write(const Wiring& wiring, const Checkpoint& checkpoint, const std::filesystem::path& out) {
    Result<Learner> learner = make_learner(wiring);
    if (!learner) {
        return std::move(learner).error();
    }
    if (Status restored = restore_weights(*learner, checkpoint.folder); !restored) {
        return restored;
    }
    return write_file(out, [&](const std::filesystem::path& temporary) {
        return write_weights(temporary, *learner, WeightSlab::kLive, description_of(wiring, checkpoint.frames));
    });
}

}  // namespace

bool export_safetensors(const ExportRequest& request, const std::filesystem::path& out, const Notice& notice,
                        Problems& problems) {
    Status done = check_holds_run(request.folder);
    Result<Checkpoint> checkpoint =
        done ? chosen_checkpoint(request.folder, request.checkpoint, "exported", notice) : done.error();
    if (!checkpoint) {
        problems.push_back(std::move(checkpoint).error());
        return false;
    }
    const Setup setup = set_up(
        {.manifest = request.folder / "manifest.lock.toml", .plugins = request.plugins, .restored = true}, problems);
    if (!problems.empty()) {
        return false;
    }
    done = write(*setup.wiring, *checkpoint, out);
    if (!done) {
        problems.push_back(std::move(done).error());
        return false;
    }
    return true;
}

}  // namespace tenon
