// SPDX-License-Identifier: Apache-2.0
// An env whose steps are recorded frames: each lane replays those of its lane, in order. With transforms around it
// (Lanes), the frames become what the transforms make of them in acting.
#pragma once

#include <cstdint>
#include <vector>

#include "base/data/spec.hpp"
#include "base/data/spec_abi.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/env.h"

namespace tenon {

class RecordedEnv {
public:
    // `specs` are the columns of the env. A column that the frames lack is zeros. Both must outlive this, which must
    // not move. All lanes have as many frames.
    RecordedEnv(const Storage& frames, const Composite& specs);

    [[nodiscard]] Callee<tn_env_api> callee();

    // The number of steps after which a lane was reset, though its episode goes on in the frames: a transform has ended
    // it. 0: none was.
    [[nodiscard]] std::uint32_t cut_after() const { return cut_after_; }
    // From now on, a reset begins with the oldest frames again.
    void rewind();

private:
    friend struct HostTables;
    // A column of the frames, and where the transforms read it. recorded null: its values are zeros.
    struct Column {
        const StorageColumn* recorded;
        Role role;
        View here;
        View final;  // of an observation
    };

    tn_status describe(tn_env_info& info) const;
    tn_status bind(const tn_env_buffers& buffers);
    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    tn_status step(const tn_env_step& step);
    void step_lane(std::uint32_t lane, std::uint32_t slot, std::uint32_t next);
    void observe(std::uint32_t lane, std::uint32_t slot) const;
    [[nodiscard]] std::uint32_t slot_of(std::uint32_t frame) const { return frames_->slot_back(steps_ - frame); }

    const Storage* frames_;
    SpecTable table_;
    const Composite* specs_;
    std::uint32_t steps_;  // of each lane
    std::vector<Column> columns_;
    View terminated_;
    View truncated_;
    std::vector<std::uint32_t> at_;  // by lane: the frame whose observation is the newest
    bool begun_ = false;
    std::uint32_t cut_after_ = 0;
};

}  // namespace tenon
