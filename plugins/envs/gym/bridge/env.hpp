// SPDX-License-Identifier: Apache-2.0
// Environments in Python processes that share memory with this one (docs/worlds.md). A component derives from Env, adds
// its own options to these, and says in open() what the workers make:
//
//     struct Kites : bridge::Env {
//         std::string wind;
//         static constexpr auto options = std::tuple_cat(
//             std::tuple{tenon::option<&Kites::wind>("wind", "light", "light|strong", "of the day")},
//             bridge::Env::options);
//         void open(tenon::EnvBatch batch) { start(batch, {.id = "kites:Kite", .kwargs = ...}); }
//     };
//
// Nothing of Python is loaded here: an environment that crashes, exits or hangs does so in another process.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "description.hpp"
#include "making.hpp"
#include "python_settings.hpp"
#include "saved_lanes.hpp"
#include "tenon/env.hpp"
#include "worker.hpp"

namespace bridge {

struct Settings : PythonSettings {
    std::int64_t workers;
    std::int64_t envs_per_worker;
    double time_limit;
    std::int64_t restarts;
    bool output;
};

class Env : public Settings {
public:
    static constexpr auto options = std::tuple_cat(
        PythonSettings::options,
        std::tuple{
            tenon::option<&Settings::workers>("workers", 0, "[0,1024]",
                                              "processes that share the lanes; 0: one a processor"),
            tenon::option<&Settings::envs_per_worker>("envs_per_worker", 0, "[0,65536]",
                                                      "lanes of a process at most; 0: as many as it takes"),
            tenon::option<&Settings::time_limit>("time_limit", 30.0, "(0,86400]", "seconds that a step may take"),
            tenon::option<&Settings::restarts>("restarts", 5, "[0,1000000]",
                                               "of workers that end or do not answer, in all"),
            tenon::option<&Settings::output>("output", false,
                                             "show what the environments print, which the run's log.txt has anyway"),
        });

    Env() = default;
    Env(const Env&) = delete;
    Env& operator=(const Env&) = delete;
    ~Env();

    [[nodiscard]] tenon::EnvSpec spec() const { return description_.spec; }
    void reset(const tenon::EnvRows& rows);
    void step(const tenon::EnvRows& rows);
    // The two halves of a step, for lanes that do not wait for each other (env_async.h).
    void submit(const tenon::EnvRows& rows);
    bool is_ready(std::uint32_t lane);
    void receive(const tenon::EnvRows& rows);
    [[nodiscard]] std::uint32_t at_once() const;
    void state(tenon::Archive& archive, std::uint32_t lane);
    [[nodiscard]] tenon::PictureSize picture() const;
    void draw(std::uint32_t lane, tenon::Picture& picture) const;

    std::int64_t max_episode_steps = 0;  // as the host is told

protected:
    // Starts the first worker, which describes the environments.
    void start(tenon::EnvBatch batch, const Making& making);
    // How many workers the options ask for.
    [[nodiscard]] std::uint32_t workers_for(std::uint32_t lanes) const;
    // The one that has described the environments.
    [[nodiscard]] Worker& first_worker() const { return *workers_[0]; }

private:
    // What was asked of a lane that answers later.
    struct Asked {
        Command command = Command::kStep;
        Worker::Clock::time_point since = {};
        bool is_under_way = false;
        std::optional<Failure> failure = {};  // its worker has ended, and may have been started again since
    };

    void describe_first(const std::string& group);
    void open_workers();
    template <class Part>
    void start_part(Worker& worker, const Part& part) const;
    [[nodiscard]] Command step_command(const tenon::EnvRows& rows) const;
    template <class Lacks>
    void post(const tenon::EnvRows& rows, Command command, const Lacks& lacks);
    template <class AskedOf>
    void take(const tenon::EnvRows& rows, const AskedOf& asked_of);
    void call(const tenon::EnvRows& rows, Command command);
    void note_ended(const Worker& worker, const Failure& failure);
    void tell_output();
    void tell_output_now_and_then(Worker::Clock::time_point now);

    tenon::EnvBatch batch_{};
    mutable Start start_;
    mutable std::optional<tenon::PictureSize> picture_;  // once it was asked for
    Description description_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> owners_;  // [lane]
    std::vector<Asked> asked_;     // [lane]
    bool steps_together_ = false;  // a worker steps all its lanes in one call
    std::mutex telling_;           // of threads that step ranges of lanes
    Worker::Clock::time_point told_ = {};
    SavedLanes saved_;
};

}  // namespace bridge
