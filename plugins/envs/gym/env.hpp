// SPDX-License-Identifier: Apache-2.0
// The component gym/env: its options, and the workers that step its lanes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "description.hpp"
#include "tenon/env.hpp"
#include "worker.hpp"

namespace gym {

struct Env {
    std::string id;
    std::string python;
    tenon::Table kwargs;
    std::int64_t workers;
    std::int64_t envs_per_worker;
    std::int64_t seed_offset;
    std::int64_t step_limit;
    std::string vector;
    std::string action_mask;
    std::vector<std::string> infos;
    std::vector<std::string> leave_out;
    double time_limit;
    std::int64_t restarts;

    static constexpr auto options = std::tuple{
        tenon::required<&Env::id>("id", "", "CartPole-v1, package:Id-v0, or module:Class of your own"),
        tenon::option<&Env::kwargs>("kwargs", "what the environment's constructor is given"),
        tenon::option<&Env::python>("python", "", "",
                                    "the interpreter; empty: of the active virtual environment, else python3"),
        tenon::option<&Env::workers>("workers", 0, "[0,1024]", "processes that share the lanes; 0: one a processor"),
        tenon::option<&Env::envs_per_worker>("envs_per_worker", 0, "[0,65536]",
                                             "lanes of a process at most; 0: as many as it takes"),
        tenon::option<&Env::seed_offset>("seed_offset", -1, "[-1,4294967295]",
                                         "lane i is seeded with this and i; -1: from the seed of the run"),
        tenon::option<&Env::step_limit>("max_episode_steps", -1, "[-1,inf)",
                                        "an episode is truncated then; 0: never; -1: as the environment says"),
        tenon::option<&Env::vector>("vector", "", "|make_vec",
                                    "make_vec: a worker has one vector environment in place of many single ones"),
        tenon::option<&Env::action_mask>("action_mask", "auto", "",
                                         "the info, or the key of the observation, that says which actions are "
                                         "allowed; auto: action_mask, if there is one; none"),
        tenon::option<&Env::infos>("infos", {}, "", "infos that become columns info.NAME"),
        tenon::option<&Env::leave_out>("leave_out", {}, "", "parts of the observation to do without"),
        tenon::option<&Env::time_limit>("time_limit", 30.0, "(0,86400]", "seconds that a step may take"),
        tenon::option<&Env::restarts>("restarts", 5, "[0,1000000]", "of workers that end or do not answer, in all"),
    };

    Env() = default;
    Env(const Env&) = delete;
    Env& operator=(const Env&) = delete;
    ~Env();

    void open(tenon::EnvBatch batch);
    [[nodiscard]] tenon::EnvSpec spec() const { return description_.spec; }
    void reset(const tenon::EnvRows& rows);
    void step(const tenon::EnvRows& rows);
    void state(tenon::Archive& archive, std::uint32_t lane);

    std::int64_t max_episode_steps = 0;  // as the host is told

private:
    [[nodiscard]] std::uint32_t workers_for(std::uint32_t lanes) const;
    [[nodiscard]] std::uint64_t seed_of(const tenon::BatchRow& row) const;
    void open_workers();
    void call(const tenon::EnvRows& rows, Command command);

    tenon::EnvBatch batch_{};
    Start start_;
    Description description_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> owners_;           // [lane]
    std::vector<std::uint8_t> is_unsaved_;  // [lane] its state was not saved: it begins again at the next step
    bool has_warned_ = false;
};

}  // namespace gym
