// SPDX-License-Identifier: Apache-2.0
#include "train/collect/lanes/lanes_source.hpp"

namespace tenon {

Status LanesSource::reset(const std::uint64_t* seeds) {
    drop_episodes(site_, nullptr);
    return site_.lanes.reset(nullptr, seeds);
}

Result<std::uint32_t> LanesSource::step(const Acting& now) {
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

}  // namespace tenon
