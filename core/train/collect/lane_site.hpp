// SPDX-License-Identifier: Apache-2.0
// What every source of frames consists of: lanes of an env, the storage that they write to, their episodes, and what
// acts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/profile/profile.hpp"
#include "compute/exec/call.hpp"
#include "compute/exec/program.hpp"
#include "experience/env/episodes.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/procedural.hpp"
#include "experience/env/spec_watch.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/instance.hpp"
#include "train/collect/actor.hpp"
#include "train/collect/lane_share.hpp"
#include "train/collect/random_actions.hpp"
#include "train/plan/wiring.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

// What acting reads of a run at one step of its lanes.
struct Acting {
    RunNumbers numbers = {};
    std::uint64_t counter = 0;  // of random numbers, which depend on nothing else but the lane
    bool randomly = false;      // by random actions; a policy that remembers sees the step nevertheless
};

// What acts: a program, or else a procedure, or else random actions. With none of them, the caller writes the actions
// of all lanes at the storage's head before every step.
struct ActingOptions {
    const BuiltProgram* program = nullptr;  // it must outlive the source
    std::optional<Instance> procedure = {};
    std::int32_t mode = TN_ACT_SAMPLE;       // of the procedure
    std::string_view stream = "policy/act";  // of the procedure's random numbers
    bool random = false;                     // random actions as well, for steps that ask for them
    std::uint64_t seed = 0;
    LaneShare share = {};
    Profile* profile = nullptr;  // of acting and of the lanes' steps; null: they are not measured
};

struct Procedure {
    ProceduralPolicy policy;
    std::int32_t mode;
    tn_key key;
};

struct LaneSite {
    LaneSite(Lanes of, Storage to);

    std::unique_ptr<Storage> storage;  // on the heap, because the lanes keep its address
    Lanes lanes;
    Episodes episodes;
    std::vector<Episodes> of_groups;  // the same with the rewards of each of groups_with_rewards
    SpecWatch watch;
    std::vector<std::uint32_t> every_lane;  // their numbers
    std::optional<Actor> actor = {};
    std::optional<Procedure> procedure = {};
    std::optional<RandomActions> random = {};
    std::function<Status(const Storage&)> overrule = {};  // changes the actions at the head before the lanes step
    Profile* profile = nullptr;
    std::size_t acting = 0;  // this and the next: spans of the profile
    std::size_t stepping = 0;
};

// Binds the lanes to the storage. What the lanes depend on must outlive the site. Nothing acts yet.
Result<LaneSite> make_site(Lanes lanes, Storage storage);

// Discards the running episodes of lanes whose byte in mask is 1 (null: all).
void drop_episodes(LaneSite& site, const std::uint8_t* mask);
// Counts the newest step of all lanes.
void record_episodes(LaneSite& site);

// Writes the actions of all lanes at the storage's head.
Status act(LaneSite& site, const Acting& now);
// The same of these lanes, which are in ascending order, by the program or by random actions.
Status act(LaneSite& site, const Acting& now, std::span<const std::uint32_t> lanes);

// In a training run: its first frames are of random actions (train.start_frames), if something learns from them.
[[nodiscard]] Acting acting_at(const Wiring& wiring, const Standing& standing, std::span<const double> live,
                               bool same_parameters);

}  // namespace tenon
