// SPDX-License-Identifier: Apache-2.0
// Gymnasium environments, and all that have their interface or dm_env's, in an interpreter in this process. They should
// be few and cheap to step (docs/worlds.md). An env that crashes or hangs takes the run with it.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bridge/answer.hpp"
#include "bridge/gymnasium.hpp"
#include "bridge/interpreter.hpp"
#include "bridge/making.hpp"
#include "bridge/python_settings.hpp"
#include "bridge/saved_lanes.hpp"
#include "interpreter.hpp"
#include "session.hpp"
#include "steps.hpp"
#include "tenon/env.hpp"

namespace embedded {

struct Env : bridge::Gymnasium, bridge::PythonSettings {
    static constexpr auto options = std::tuple_cat(bridge::Gymnasium::options, bridge::PythonSettings::options);

    std::int64_t max_episode_steps = 0;  // as the host is told

    void open(tenon::EnvBatch batch) {
        lanes_ = batch.lanes;
        const std::string name = "'" + id + "'";
        saved_.open(batch, name);
        start_interpreter(bridge::find_python(python), bridge::worker_package(), name);
        session_ = std::make_unique<Session>(bridge::json_of(making()), name);
        max_episode_steps = session_->description().limit;
        for (const std::string& note : session_->description().notes) {
            batch.warn(note);
        }
    }

    [[nodiscard]] tenon::EnvSpec spec() const { return session_->description().spec; }

    void reset(const tenon::EnvRows& rows) {
        make();
        rows.each([&](const tenon::BatchRow& row) { saved_.note_reset(row.lane()); });
        const Lock lock;
        call(rows, bridge::Command::kReset);
    }

    void step(const tenon::EnvRows& rows) {
        const Lock lock;
        if (!steps_->apply()) {
            call(rows, bridge::Command::kStep);
            return;
        }
        rows.each([&](const tenon::BatchRow& row) {
            end(rows, row, saved_.lacks(row.lane()) ? saved_.begins_anew() : steps_->step(row));
        });
    }

    void state(tenon::Archive& archive, std::uint32_t lane) {
        const bridge::Ask ask = [&](const std::string& message) { return session_->ask(message); };
        saved_.archive(
            archive, lane, [&](std::string& why) { return bridge::save_lane(ask, lane, why); },
            [&](const std::vector<std::byte>& bytes) {
                make();
                if (!bytes.empty()) {
                    bridge::load_lane(ask, lane, bytes, session_->name());
                }
            });
    }

private:
    // Makes the environments, which only describe the space before that.
    void make() {
        if (!session_->is_open()) {
            session_->open(lanes_);
            const Lock lock;
            steps_ = std::make_unique<Steps>(*session_);
        }
    }

    // As a worker does it, by the slab. The lock is held.
    void call(const tenon::EnvRows& rows, bridge::Command command) {
        rows.each([&](const tenon::BatchRow& row) {
            if (saved_.lacks(row.lane())) {
                end(rows, row, saved_.begins_anew());
            } else {
                bridge::ask_lane(session_->slab(), session_->layout(), row.lane(), row, command,
                                 bridge::seed_of(row, seed_offset));
            }
        });
        session_->serve();
        rows.each([&](const tenon::BatchRow& row) {
            end(rows, row, bridge::take_lane(session_->slab(), session_->layout(), row.lane(), row, command));
        });
    }

    static void end(const tenon::EnvRows& rows, const tenon::BatchRow& row,
                    const std::optional<bridge::Failure>& failure) {
        if (failure) {
            rows.park(row.lane(), failure->status, failure->sentence);
        }
    }

    std::uint32_t lanes_ = 0;
    bridge::SavedLanes saved_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<Steps> steps_;  // after the session, whose objects it has
};

}  // namespace embedded

TENON_PLUGIN("gym_embedded", "0.1.0",
             tenon::env<embedded::Env>("env", "a Gymnasium environment in Python in this process"));
