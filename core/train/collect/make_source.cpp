// SPDX-License-Identifier: Apache-2.0
#include "train/collect/make_source.hpp"

#include <utility>

#include "train/collect/device/device_source.hpp"
#include "train/collect/lanes/lanes_source.hpp"
#include "train/collect/pool/pool_source.hpp"
#include "train/collect/workers/workers_source.hpp"

namespace tenon {

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
    if (wiring.collects_in_processes()) {
        return WorkersSource::make(wiring, learner, std::move(lanes), std::move(storage));
    }
    if (wiring.pools()) {
        return PoolSource::make(wiring, std::move(lanes), std::move(storage));
    }
    if (collects_on_device(wiring, lanes, executor)) {
        return DeviceSource::make(wiring, std::move(lanes), std::move(storage));
    }
    return make_source(std::move(lanes), std::move(storage));
}

}  // namespace tenon
