// SPDX-License-Identifier: Apache-2.0
#include "saved_lanes.hpp"

#include <utility>

namespace bridge {

void SavedLanes::open(tenon::EnvBatch batch, std::string name) {
    batch_ = batch;
    name_ = std::move(name);
    is_unsaved_.assign(batch.lanes, 0);
}

void SavedLanes::archive(tenon::Archive& archive, std::uint32_t lane, const Save& save, const Load& load) {
    std::vector<std::byte> bytes;
    if (!archive.loading()) {
        std::string why;
        bytes = save(why);
        if (bytes.empty() && !has_warned_) {
            has_warned_ = true;
            batch_.warn(name_ + " cannot be saved, so that a resumed run begins new episodes: " + why);
        }
    }
    archive(bytes);
    if (archive.loading()) {
        is_unsaved_[lane] = bytes.empty() ? 1 : 0;
        load(bytes);
    }
}

Failure SavedLanes::begins_anew() const {
    return {TN_LOST, name_ + " cannot be saved: its lanes begin new episodes"};
}

}  // namespace bridge
