// SPDX-License-Identifier: Apache-2.0
#include "experience/env/transformed_frames.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/data/state_bytes.hpp"
#include "base/random/key.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/recorded_env.hpp"
#include "experience/env/seeds.hpp"

namespace tenon {
namespace {

using Transform = Callee<tn_transform_api>;

Status check_lanes(const Storage& recorded) {
    for (std::uint32_t lane = 0; lane < recorded.lanes(); ++lane) {
        if (recorded.ring().count(lane) + 1 != recorded.ring().live_slots()) {
            return input_problem("transforms need as many frames of each lane, but lane " + std::to_string(lane) +
                                     " has " + std::to_string(recorded.ring().count(lane)) + " and another one " +
                                     std::to_string(recorded.ring().live_slots() - 1),
                                 {}, "`tenon data convert --one-lane` writes the whole episodes of all lanes in one");
        }
    }
    return {};
}

Status check_actions(const std::vector<Transform>& transforms) {
    for (const Transform& transform : transforms) {
        if (transform.api->invert != nullptr) {
            return input_problem(transform.name +
                                     " changes the policy's actions into those of the env, but recorded frames have "
                                     "the latter: which action of the policy gave them needs the policy's step",
                                 transform.place, "record the frames with this transform, without transform_init");
        }
    }
    return {};
}

// What is in the frames, but no column of the env or of transforms.
std::vector<StorageColumn> further_columns(const Storage& recorded, const Composite& inner, const Composite& outer) {
    std::vector<StorageColumn> out;
    for (const StorageColumn& column : recorded.columns()) {
        if (!is_flag_column(column.key) && inner.find(column.key) == nullptr && outer.find(column.key) == nullptr) {
            out.push_back({.key = column.key,
                           .role = column.role,
                           .dtype = column.dtype,
                           .row = column.row,
                           .view = {},
                           .final = {}});
        }
    }
    return out;
}

// Copies columns of the slot that steps do not write: actions and further columns.
void copy_given(const Storage& recorded, Storage& storage, const std::vector<std::string>& keys, std::uint32_t from) {
    for (const std::string& key : keys) {
        const StorageColumn& to = *storage.find(key);
        if (const StorageColumn* const source = recorded.find(key)) {
            const std::size_t bytes = row_bytes(to) * storage.lanes();
            std::memcpy(row_at(to.view, storage.head(), 0), row_at(source->view, from, 0), bytes);
        }
    }
}

Status replay(Lanes& lanes, RecordedEnv& env, const Storage& recorded, Storage& storage, std::uint64_t seed,
              const std::vector<std::string>& given) {
    const std::uint32_t steps = recorded.ring().live_slots() - 1;
    storage.clear();
    env.rewind();
    TENON_TRY(lanes.reset(nullptr, lane_seeds(make_key(seed, "fill"), lanes.count()).data()));
    for (std::uint32_t step = 0; step < steps; ++step) {
        copy_given(recorded, storage, given, recorded.slot_back(steps - step));
        TENON_TRY(lanes.step());
        if (env.cut_after() > 0) {
            return input_problem("a transform ends an episode of the recorded frames after step " +
                                     std::to_string(env.cut_after()) + " of its lane, where it goes on",
                                 {}, "record the frames with the transforms, without transform_init");
        }
    }
    copy_given(recorded, storage, given, recorded.head());
    return {};
}

}  // namespace

Result<TransformedFrames> transformed_frames(const Storage& recorded, const Composite& env,
                                             std::vector<Transform> transforms, std::uint64_t seed, Pool& pool) {
    TENON_TRY(check_lanes(recorded));
    TENON_TRY(check_actions(transforms));
    RecordedEnv source(recorded, env);
    Lanes lanes = TENON_TRY(Lanes::make(source.callee(), std::move(transforms), recorded.lanes(), pool));
    lanes.trust();  // frames with numbers that are not finite are learning's to judge
    std::vector<std::string> given;
    for (const Spec& spec : lanes.specs().specs) {
        if (spec.role == Role::kAction) {
            given.push_back(spec.key);
        }
    }
    std::vector<StorageColumn> columns = storage_columns(lanes.specs());
    for (StorageColumn& column : further_columns(recorded, env, lanes.specs())) {
        given.push_back(column.key);
        columns.push_back(std::move(column));
    }
    const std::uint32_t slots = std::max(recorded.ring().live_slots(), 2U);
    TransformedFrames out{.storage = TENON_TRY(Storage::make(std::move(columns), slots, recorded.lanes())),
                          .learnt = {}};
    TENON_TRY(lanes.bind(out.storage));
    TENON_TRY(replay(lanes, source, recorded, out.storage, seed, given));
    if (!lanes.commons().empty()) {
        TENON_TRY(lanes.follow(lanes));  // what it has learnt stays as it is
        TENON_TRY(replay(lanes, source, recorded, out.storage, seed, given));
        StateBytes bytes;
        const tn_writer writer = bytes.writer();
        TENON_TRY(lanes.save_common(writer));
        out.learnt = std::move(bytes.data);
    }
    return out;
}

}  // namespace tenon
