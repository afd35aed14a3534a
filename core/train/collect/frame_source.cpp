// SPDX-License-Identifier: Apache-2.0
#include "train/collect/frame_source.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/random/key.hpp"
#include "train/checkpoint/bytes.hpp"

namespace tenon {

Status FrameSource::act_by(ActingOptions options, Executor* executor, Learner& learner, Pool& pool) {
    if (options.program != nullptr) {
        site_.actor.emplace(TENON_TRY(make_actor(options, *executor, learner)));
    } else if (options.procedure) {
        ProceduralPolicy policy =
            TENON_TRY(ProceduralPolicy::make(std::move(*options.procedure), site_.lanes.specs(), pool));
        site_.procedure.emplace(Procedure{
            .policy = std::move(policy), .mode = options.mode, .key = make_key(options.seed, options.stream)});
        TENON_TRY(site_.procedure->policy.bind(*site_.storage));
    }
    if (options.profile != nullptr) {
        site_.profile = options.profile;
        site_.acting = site_.profile->span(Work::kPolicy);
        site_.stepping = site_.profile->span(Work::kLanes);
        site_.lanes.measure(site_.profile);
    }
    if (options.random) {
        site_.random.emplace(site_.lanes.specs(), options.seed, options.share);
    }
    return {};
}

Result<Actor> FrameSource::make_actor(const ActingOptions& options, Executor& executor, Learner& learner) {
    return Actor::make(*options.program, options.seed, executor, learner, *site_.storage, site_.lanes.specs(),
                       options.share);
}

Status FrameSource::begin_in(const std::uint8_t* mask) {
    drop_episodes(site_, mask);
    return site_.lanes.reset(mask, nullptr);
}

Problems FrameSource::take_warnings() {
    Problems out = site_.lanes.take_warnings();
    std::ranges::move(site_.lanes.take_notices(), std::back_inserter(out));
    return out;
}

Status FrameSource::rewind() {
    experience().rewind();
    return {};
}

std::string FrameSource::why_unsaved() const {
    const std::vector<std::string> without = site_.lanes.without_state();
    return without.empty() ? "" : without.front() + " cannot save its state: it begins new episodes";
}

Status FrameSource::save(ByteWriter& out) {
    return nested(out, "env", [&](const tn_writer& writer) { return site_.lanes.save(writer); });
}

Status FrameSource::load(ByteReader& in) {
    return nested(in, "env", [&](const tn_reader& reader) { return site_.lanes.load(reader); });
}

Memories* FrameSource::memories() {
    return site_.actor && !site_.actor->memories().empty() ? &site_.actor->memories() : nullptr;
}

}  // namespace tenon
