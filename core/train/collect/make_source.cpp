// SPDX-License-Identifier: Apache-2.0
#include "train/collect/make_source.hpp"

#include <cstdint>
#include <utility>

#include "train/plan/source_kind.hpp"

namespace tenon {
namespace {

// Lanes that step in this process, all together.
class LanesSource final : public FrameSource {
public:
    explicit LanesSource(LaneSite site) : FrameSource(std::move(site)) {}

    Status reset(const std::uint64_t* seeds) override {
        drop_episodes(site_, nullptr);
        return site_.lanes.reset(nullptr, seeds);
    }

    Result<std::uint32_t> step(const Acting& now) override {
        TENON_TRY(act(site_, now));
        if (site_.overrule) {
            TENON_TRY(site_.overrule(*site_.storage));
        }
        const Timed timed(site_.profile, site_.stepping);
        TENON_TRY(site_.lanes.step());
        drop_episodes(site_, site_.lanes.lost().data());
        record_episodes(site_);
        return site_.lanes.running();
    }
};

// Whether the columns of these lanes stay on the executor's device.
bool collects_on_device(const Wiring& wiring, const Lanes& lanes, const Executor* executor) {
    const DeviceEnv* const env = lanes.on_device();
    return wiring.columns_on_device() && executor != nullptr && env != nullptr && executor->device() == env->device();
}

}  // namespace

Result<std::unique_ptr<FrameSource>> make_source(Lanes lanes, Storage storage) {
    LaneSite site = TENON_TRY(make_site(std::move(lanes), std::move(storage)));
    return std::unique_ptr<FrameSource>(new LanesSource(std::move(site)));
}

Result<std::unique_ptr<FrameSource>> make_source(Lanes lanes) {
    Storage storage = TENON_TRY(Storage::make(storage_columns(lanes.specs()), 2, lanes.count()));
    return make_source(std::move(lanes), std::move(storage));
}

Result<std::unique_ptr<FrameSource>> make_training_source(const Wiring& wiring, Lanes lanes, Storage storage,
                                                          const Learner& learner, const Executor* executor) {
    const SourceKind* kind = source_kind(wiring);
    if (kind == nullptr && collects_on_device(wiring, lanes, executor)) {
        kind = source_kind(wiring.host->sources, kSourceOnDevice);
    }
    return kind == nullptr ? make_source(std::move(lanes), std::move(storage))
                           : kind->make(wiring, learner, std::move(lanes), std::move(storage));
}

}  // namespace tenon
