// SPDX-License-Identifier: Apache-2.0
// Many lanes of one env with its transforms, stepping straight into a storage.
//
// Lanes are cut into ranges by their number alone, so results do not depend on the number of threads. A lane that the
// env gives up, or whose rewards or observations are not finite, is parked: reported once, taken out of the storage,
// its rows frozen; the run goes on with the others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/spec.hpp"
#include "env/describe.hpp"
#include "replay/callee.hpp"
#include "replay/storage.hpp"
#include "thread/pool.hpp"

namespace tenon {

class Lanes {
public:
    // Describes env and transforms (in order, the env's side first), made for `lanes` lanes. The pool must outlive the
    // lanes, as must borrowed instances; owned ones live as long as the lanes.
    static Result<Lanes> make(Callee<tn_env_api> env, std::vector<Callee<tn_transform_api>> transforms,
                              std::uint32_t lanes, Pool& pool);
    static Result<Lanes> make(Instance env, std::vector<Instance> transforms, std::uint32_t lanes, Pool& pool);
    Lanes(Lanes&&) noexcept;
    Lanes& operator=(Lanes&&) noexcept;
    ~Lanes();

    [[nodiscard]] std::uint32_t count() const;
    [[nodiscard]] const std::string& name() const;  // the env's
    [[nodiscard]] const EnvInfo& env_info() const;  // before transforms
    [[nodiscard]] const Composite& specs() const;   // after them: what the storage and policies see
    [[nodiscard]] std::uint32_t running() const;    // lanes not parked

    // Tells the plugins where the columns are. Of specs(), the storage may lack those nobody reads; it may have more.
    // It must stay where it is until the next bind.
    Status bind(Storage& storage);

    // Begins episodes at the storage's head, in the lanes whose byte in mask is 1 (null: all). seeds: one a lane, or
    // null to let the generators go on. Episodes that were running end as truncated.
    Status reset(const std::uint8_t* mask, const std::uint64_t* seeds);

    // One step of all lanes with the actions at the storage's head, which then moves on. Neither allocates nor locks
    // nor looks anything up while all goes well.
    Status step();

    // [lanes] What the env itself gave in that step, whatever transforms have made of it: the sums of these are
    // returns.
    [[nodiscard]] std::span<const double> rewards() const;

    // [lanes] 1 where the latest step or reset lost what a process of its own had of the lane: the episode that was
    // running ended with the step before, and another one took this step.
    [[nodiscard]] std::span<const std::uint8_t> lost() const;

    // Lanes parked since the last call, one problem each; of many in one step the first few, then one for the rest.
    Problems take_warnings();
    // Processes begun anew since the last call.
    Problems take_notices();

    // Leaves the numbers of the env unlooked at: for those who measure the env alone.
    void trust();

    // Components whose state cannot be saved; a run that is resumed resets them.
    [[nodiscard]] std::vector<std::string> without_state() const;
    // Env and transforms as they are between two steps. load comes after bind and after the storage's own load, instead
    // of reset; on failure, or for an env without state, reset is needed.
    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

    // What all lanes of a transform have in common, such as running statistics: of training, and saved apart from
    // lanes.
    [[nodiscard]] bool has_common() const;
    [[nodiscard]] Status save_common(const tn_writer& writer) const;
    Status load_common(const tn_reader& reader);
    // For lanes of an evaluation: takes over what the training's have gathered, and gathers nothing itself.
    Status follow(const Lanes& training);

private:
    struct State;
    explicit Lanes(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;  // plugins keep addresses inside it
};

}  // namespace tenon
