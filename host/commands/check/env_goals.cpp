// SPDX-License-Identifier: Apache-2.0
// Goals in hindsight (tenon/abi/goal.h): if the goal is the step's own, judge must agree with step. With any goal it
// must write the wanted rows and nothing else, and the same each time.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/data/key.hpp"
#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "commands/check/guarded.hpp"
#include "commands/check/tailed.hpp"
#include "experience/env/goal_judge.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kJudgedSteps = 60;
constexpr double kGoalRounding = 1e-5;  // columns may have fewer digits than the env computes with

// Memory for one call of judge: the rows of all lanes.
struct Judged {
    GoalInfo info;
    std::size_t rows = 0;
    std::vector<GuardedMemory> inputs;   // what is achieved, the goals, and the other columns
    std::vector<std::size_t> row_bytes;  // of each of them
    std::vector<const void*> others;
    std::vector<std::uint8_t> wanted;
    GuardedMemory reward;
    GuardedMemory terminated;

    static Result<Judged> make(GoalInfo info, const Composite& specs, std::size_t rows);
    Status judge(const Callee<tn_goal_api>& env, unsigned char fill);
    [[nodiscard]] std::size_t reward_bytes() const { return size_of(info.reward.dtype); }
    [[nodiscard]] double reward_of(std::size_t row) const;
    [[nodiscard]] std::uint8_t end_of(std::size_t row) const {
        return static_cast<std::uint8_t>(terminated.data()[row]);
    }
};

Result<Judged> Judged::make(GoalInfo info, const Composite& specs, std::size_t rows) {
    Judged out;
    out.info = std::move(info);
    out.rows = rows;
    const auto add = [&](const std::string& key) -> Status {
        const Spec& spec = *specs.find(without_next(key));
        out.row_bytes.push_back(static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype));
        out.inputs.push_back(TENON_TRY(GuardedMemory::make(out.row_bytes.back() * rows, key)));
        return {};
    };
    Status added = add(out.info.achieved);
    if (added) {
        added = add(out.info.desired);
    }
    for (const std::string& key : out.info.columns) {
        if (added) {
            added = add(key);
            out.others.push_back(added ? out.inputs.back().data() : nullptr);
        }
    }
    Result<GuardedMemory> reward = GuardedMemory::make(out.reward_bytes() * rows, "reward");
    Result<GuardedMemory> terminated = GuardedMemory::make(rows, "terminated");
    if (!added || !reward || !terminated) {
        return !added ? added.error() : (reward ? terminated : reward).error();
    }
    out.reward = std::move(*reward);
    out.terminated = std::move(*terminated);
    out.wanted.assign(rows, 1);
    return out;
}

double Judged::reward_of(std::size_t row) const {
    float narrow = 0;
    double wide = 0;
    std::memcpy(&narrow, reward.data() + row * reward_bytes(), sizeof narrow);
    if (info.reward.dtype == DType::kF64) {
        std::memcpy(&wide, reward.data() + row * reward_bytes(), sizeof wide);
    }
    return info.reward.dtype == DType::kF64 ? wide : narrow;
}

Status Judged::judge(const Callee<tn_goal_api>& env, unsigned char fill) {
    std::memset(reward.data(), fill, reward_bytes() * rows);
    std::memset(terminated.data(), fill, rows);
    const Tailed<tn_goal_call> call({.struct_size = 0,
                                     .flags = 0,
                                     .rows = rows,
                                     .achieved = inputs[0].data(),
                                     .desired = inputs[1].data(),
                                     .columns = others.data(),
                                     .wanted = wanted.data(),
                                     .reward = reward.data(),
                                     .terminated = reinterpret_cast<std::uint8_t*>(terminated.data())},
                                    true);
    return env.call("judge", env.api->judge, &call.value);
}

// The row of a column that belongs to the latest step of a lane, by its name in a batch.
const void* row_of(EnvDrive& drive, const std::string& key, std::uint32_t lane) {
    const auto find = [&](const std::string& name) {
        return std::ranges::find(drive.columns(), name, &DriveColumn::key);
    };
    const bool next = is_next(key);
    if (next && drive.is_done(lane)) {
        return find(key)->row(drive.before(), lane);
    }
    return find(std::string(without_next(key)))->row(next ? drive.slot() : drive.before(), lane);
}

void take_step(EnvDrive& drive, Judged& judged) {
    std::vector<std::string> keys = {next_key(judged.info.achieved), judged.info.desired};
    keys.insert(keys.end(), judged.info.columns.begin(), judged.info.columns.end());
    for (std::size_t column = 0; column < keys.size(); ++column) {
        for (std::uint32_t lane = 0; lane < drive.lanes(); ++lane) {
            std::memcpy(judged.inputs[column].data() + lane * judged.row_bytes[column],
                        row_of(drive, keys[column], lane), judged.row_bytes[column]);
        }
    }
}

std::string when(const EnvDrive& drive, std::uint32_t lane) {
    return "after " + steps_text(drive.steps()) + " in lane " + std::to_string(lane) + ": ";
}

// A sentence if judge disagrees with the latest step; empty if it agrees.
std::string disagreement(EnvDrive& drive, const Judged& judged) {
    for (std::uint32_t lane = 0; lane < drive.lanes(); ++lane) {
        double reward = 0;
        const void* const row = row_of(drive, judged.info.reward.key, lane);
        if (judged.info.reward.dtype == DType::kF64) {
            std::memcpy(&reward, row, sizeof reward);
        } else {
            float narrow = 0;
            std::memcpy(&narrow, row, sizeof narrow);
            reward = narrow;
        }
        const double said = judged.reward_of(lane);
        if (!(std::abs(said - reward) <= kGoalRounding * std::max(1.0, std::abs(reward)))) {
            return when(drive, lane) + "judge gives the reward " + std::to_string(said) +
                   " for the step's own goal, but step gave " + std::to_string(reward);
        }
        if (judged.end_of(lane) != (drive.is_terminated(lane) ? 1 : 0)) {
            return when(drive, lane) + "judge writes " + std::to_string(judged.end_of(lane)) +
                   " to terminated for the step's own goal, but step wrote " +
                   std::to_string(drive.is_terminated(lane) ? 1 : 0);
        }
    }
    return "";
}

std::vector<std::byte> bytes_of(const GuardedMemory& memory, std::size_t bytes) {
    return {memory.data(), memory.data() + bytes};
}

// Judges some of the rows, with what other lanes have achieved as goals: twice over different bytes, and with an
// instance that has judged nothing before.
std::string misjudged(const Callee<tn_goal_api>& used, const Callee<tn_goal_api>& fresh, Judged& judged) {
    constexpr unsigned char kFills[] = {0x11, 0xEE, 0x11};
    const std::size_t bytes = judged.row_bytes[0];
    for (std::size_t row = 0; row < judged.rows; ++row) {
        judged.wanted[row] = row % 3 == 2 ? 0 : 1;
        std::memcpy(judged.inputs[1].data() + row * bytes, judged.inputs[0].data() + (row + 1) % judged.rows * bytes,
                    bytes);
    }
    std::vector<std::vector<std::byte>> given;
    for (std::size_t i = 0; i < judged.inputs.size(); ++i) {
        given.push_back(bytes_of(judged.inputs[i], judged.row_bytes[i] * judged.rows));
    }
    std::vector<std::byte> first;
    for (std::size_t call = 0; call < std::size(kFills); ++call) {
        if (const Status done = judged.judge(call == 2 ? fresh : used, kFills[call]); !done) {
            return done.error().sentence;
        }
        std::vector<std::byte> written;
        for (std::size_t row = 0; row < judged.rows; ++row) {
            const std::byte* const reward = judged.reward.data() + row * judged.reward_bytes();
            std::vector<std::byte> said(reward, reward + judged.reward_bytes());
            said.push_back(judged.terminated.data()[row]);
            if (judged.wanted[row] != 0) {
                written.insert(written.end(), said.begin(), said.end());
            } else if (std::ranges::any_of(said, [&](std::byte byte) { return byte != std::byte{kFills[call]}; })) {
                return "judge writes to row " + std::to_string(row) + ", which is not wanted";
            }
        }
        if (call > 0 && written != first) {
            return call == 2 ? "an instance that has judged before and a new one judge equal rows differently"
                             : "judge gives equal rows other results when it is called again, or leaves some unwritten";
        }
        first = std::move(written);
    }
    for (std::size_t i = 0; i < judged.inputs.size(); ++i) {
        if (bytes_of(judged.inputs[i], given[i].size()) != given[i]) {
            return "judge changes the rows that it reads";
        }
    }
    return "";
}

}  // namespace

Verdict check_env_goals(const CheckSubject& subject) {
    return with_drives(subject, {{}}, [&](Drives& drives, const Workbench& bench) -> Verdict {
        const Result<Instance> used = bench.make(1);
        const Result<Instance> fresh = bench.make(1);
        if (!used || !fresh) {
            return failed((used ? fresh : used).error());
        }
        const auto judge = Callee<tn_goal_api>::of(*used, "tenon.goal/1");
        const auto other = Callee<tn_goal_api>::of(*fresh, "tenon.goal/1");
        if (judge.api == nullptr) {
            return skipped("it does not offer tenon.goal/1, so its rows are relabelled by functions of [columns] only");
        }
        EnvDrive& drive = *drives[0];
        Result<GoalInfo> info = describe_goals(judge, drive.info().specs);
        const Result<GoalInfo> again = describe_goals(other, drive.info().specs);
        if (!info || !again) {
            const Problem& problem = (info ? again : info).error();
            return problem.fault == Fault::kEnvironment ? skipped(problem.sentence) : failed(problem);
        }
        Judged judged = TENON_TRY(Judged::make(std::move(*info), drive.info().specs, drive.lanes()));
        TENON_TRY(drive.reset());
        for (Pace pace(subject, kJudgedSteps); pace.more();) {
            TENON_TRY(drive.step());
            take_step(drive, judged);
            std::ranges::fill(judged.wanted, std::uint8_t{1});
            TENON_TRY(judged.judge(judge, 0x11));
            std::string found = disagreement(drive, judged);
            found = found.empty() ? misjudged(judge, other, judged) : found;
            if (!found.empty()) {
                return failed(found);
            }
        }
        return passed();
    });
}

}  // namespace tenon
