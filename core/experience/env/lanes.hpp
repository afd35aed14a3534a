// SPDX-License-Identifier: Apache-2.0
// Many lanes of one env with its wrappers and transforms, which step directly in a storage.
//
// Lanes are split into ranges by their number alone, so that results do not depend on the number of threads. A lane
// that the env gives up, or whose rewards or observations are not finite, is parked: it is reported once and removed
// from the storage, its rows are frozen, and the run continues with the others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "base/data/state_bytes.hpp"
#include "base/profile/profile.hpp"
#include "base/thread/pool.hpp"
#include "experience/env/column_step.hpp"
#include "experience/env/describe.hpp"
#include "experience/env/device_env.hpp"
#include "experience/env/env_stack.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// An option of a layer (EnvStack::layers) that follows a live value.
struct LiveOption {
    std::size_t layer = 0;
    std::uint32_t option = 0;  // its index in the schema
    std::size_t value = 0;     // the index of the live value
};

class Lanes {
public:
    // Describes env, wrappers and transforms (from the env's side outwards), made for `lanes` lanes. The pool and
    // borrowed instances must outlive the lanes; owned instances live as long as the lanes.
    static Result<Lanes> make(EnvStack env, std::vector<Callee<tn_transform_api>> transforms, std::uint32_t lanes,
                              Pool& pool);
    // With a device, an env that has kernels is stepped on it.
    static Result<Lanes> make(Instance env, std::vector<Instance> wrappers, std::vector<Instance> transforms,
                              std::uint32_t lanes, Pool& pool, std::shared_ptr<Device> device = nullptr);
    // An env made of tasks, whose lanes are those of all of them.
    static Result<Lanes> make(std::unique_ptr<EnvTasks> tasks, std::vector<Instance> wrappers,
                              std::vector<Instance> transforms, std::uint32_t lanes, Pool& pool);
    Lanes(Lanes&&) noexcept;
    Lanes& operator=(Lanes&&) noexcept;
    ~Lanes();

    [[nodiscard]] std::uint32_t count() const;
    [[nodiscard]] const std::string& name() const;     // the env's
    [[nodiscard]] const EnvInfo& env_info() const;     // after wrappers, before transforms
    [[nodiscard]] const Composite& specs() const;      // after transforms: as the storage and policies see them
    [[nodiscard]] std::uint32_t running() const;       // lanes not parked
    [[nodiscard]] const DeviceEnv* on_device() const;  // null: the env is stepped on the CPU

    // Passes the addresses of the columns to the plugins. The storage may lack columns of specs() that nothing reads,
    // and may have others. It must not move until the next bind.
    Status bind(Storage& storage);

    // Reads the options that follow live values, and passes these to the layers before every reset and step. The layers
    // get `first` until follow_values gives the address of present values, which must outlive the lanes.
    Status read_options(const std::vector<LiveOption>& options, const std::vector<double>& first);
    void follow_values(std::span<const double> present);

    // Begins episodes at the storage's head, in the lanes whose byte in mask is 1 (null: all). seeds: one per lane, or
    // null to continue the generators. Running episodes end as truncated.
    Status reset(const std::uint8_t* mask, const std::uint64_t* seeds);

    // One step of all lanes with the actions at the storage's head, which then advances. Without failures it does not
    // allocate, lock or look anything up.
    Status step();

    // The same for lanes whose columns stay on their device: enqueues the step, and its copy to the ring. Its rewards
    // and ends are not known yet.
    Status enqueue_step(DeviceRing& ring);

    // For an env that answers later (lanes_async.cpp), these take the place of step: lanes step independently, and the
    // storage's head stays where it is. answers_later: how many lanes step at the same time, 0: all; or why the env
    // cannot answer later.
    [[nodiscard]] Result<std::uint32_t> answers_later() const;
    // Begins a step of these lanes, in ascending order, with the actions at the head, without waiting for any.
    Status submit(std::span<const std::uint32_t> lanes);
    // Waits until the steps of so many lanes have ended, but no longer than so many milliseconds.
    struct Arrived {
        // lanes whose steps ended: rewards at the head, observations in the slot after it
        std::vector<std::uint32_t> stepped = {};
        std::vector<std::uint32_t> begun = {};  // lanes that were lost: an episode begins at the head
    };
    Status poll(std::uint32_t least, std::uint32_t milliseconds, Arrived& arrived);
    [[nodiscard]] std::uint32_t under_way() const;

    // Makes returns the sums of this reward of the env; for a group of agents, of the mean over the present ones, or
    // with a number behind it (agents.reward.2) of that of one agent. Without this call they are sums of "reward", or
    // of the first reward. Call it before bind.
    Status sum(std::string_view key);
    [[nodiscard]] const std::string& summed() const;
    // Also adds up the rewards of each of groups_with_rewards. Call it before bind.
    Status sum_groups();
    // [lane] Those of the latest step; group: a position in groups_with_rewards.
    [[nodiscard]] std::span<const double> rewards_of_group(std::size_t group) const;

    // [lanes] The rewards of that step, after wrappers and before transforms. Returns are sums of these.
    [[nodiscard]] std::span<const double> rewards() const;

    // [lanes] 1 if the latest step or reset lost the lane's state because a separate process ended. The running episode
    // ended with the previous step, and a new one took this step.
    [[nodiscard]] std::span<const std::uint8_t> lost() const;

    // One problem per lane parked since the last call; if many were parked in one step, the first few and then one for
    // the rest.
    Problems take_warnings();
    // Says that the caller ends the run at the first parked lane, so warnings do not promise that the run goes on.
    void need_all();
    // Notices about processes restarted since the last call.
    Problems take_notices();

    // Pictures of the env. An env that draws none is a problem that says so.
    struct Pictures {
        std::uint32_t height = 0;
        std::uint32_t width = 0;
        double steps_per_second = 0;  // of the simulated world; 0: it has no clock
    };
    [[nodiscard]] Result<Pictures> pictures() const;
    // Draws a lane that is running; pixels has [height][width][3] bytes.
    Status draw(std::uint32_t lane, std::span<std::uint8_t> pixels) const;

    // Calls `seen` for each lane whose episode a step has ended, before the host begins the next one. draw then shows
    // the end of the episode. Envs that begin the next episode in the step itself make no such calls. An empty function
    // stops the calls.
    void watch_ends(std::function<Status(std::uint32_t lane)> seen);

    // From now on, the profile (null: none) gets the time of envs and transforms within spans of Work::kLanes.
    void measure(Profile* profile);

    // Skips output validation, for measurements of only the env.
    void trust();

    // Components whose state cannot be saved; a resumed run resets them.
    [[nodiscard]] std::vector<std::string> without_state() const;
    // The state of env and transforms between two steps. load comes after bind and after the storage's own load, and
    // replaces reset. After a failure, or for an env without state, a reset is needed.
    // `lane`: of this lane alone, such as for a process that has other lanes of the run.
    [[nodiscard]] Status save(const tn_writer& writer, std::optional<std::uint32_t> lane = {}) const;
    Status load(const tn_reader& reader, std::optional<std::uint32_t> lane = {});

    // The transforms with a state that all their lanes share, such as running statistics, by name. That state belongs
    // to training and is saved separately from lanes.
    [[nodiscard]] std::vector<std::string> commons() const;
    [[nodiscard]] Status save_common(const tn_writer& writer) const;
    Status load_common(const tn_reader& reader);
    // These lanes may be a share of the run's lanes, and other processes have the rest. Transforms then merge what all
    // lanes have seen only in join; without_join names those that cannot. part: what these lanes have seen since the
    // last join; join: the parts of all processes, this one's included, in the order of the lanes.
    [[nodiscard]] std::vector<std::string> without_join() const;
    Status merge_by_join();
    [[nodiscard]] Status part(const tn_writer& writer) const;
    Status join(std::span<StateBytes> parts);
    // What a transform, counted from the env's side, does to a column outside of learning. The problem names a
    // transform without "tenon.arithmetic/1".
    [[nodiscard]] Result<ColumnStep> arithmetic(std::size_t transform, const std::string& key) const;
    // Whether a transform changes a column, as far as its interfaces say: its specs on both sides, a missing inverse of
    // actions, its numbers. Nothing if they do not say, because a column may be changed in place.
    [[nodiscard]] std::optional<bool> changes(std::size_t transform, const std::string& key) const;
    // For the lanes of an evaluation: uses the shared state of training, and adds nothing to it.
    Status follow(const Lanes& training);

private:
    struct State;
    static Result<Lanes> make_around(const Callee<tn_env_api>& env, const EnvTasks* tasks,
                                     std::vector<Instance> wrappers, std::vector<Instance> transforms,
                                     std::uint32_t lanes, Pool& pool);
    explicit Lanes(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;  // on the heap, because plugins keep addresses inside it
};

}  // namespace tenon
