// SPDX-License-Identifier: Apache-2.0
#include "train/collect/lanes/lanes_source.hpp"

namespace tenon {

Status LanesSource::reset(const std::uint64_t* seeds) {
    site_.episodes.drop(nullptr);
    return site_.lanes.reset(nullptr, seeds);
}

Result<std::uint32_t> LanesSource::step(const Acting& now) {
    TENON_TRY(act(site_, now));
    const Timed timed(site_.profile, site_.stepping);
    TENON_TRY(site_.lanes.step());
    const Storage& storage = *site_.storage;
    site_.episodes.drop(site_.lanes.lost().data());
    site_.episodes.record(storage, storage.slot_before(storage.head()), site_.lanes.rewards());
    return site_.lanes.running();
}

}  // namespace tenon
