// SPDX-License-Identifier: Apache-2.0
#include "goals.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "tenon/guard.hpp"

namespace bridge {

tenon::GoalSpec goals_of(Worker& worker) {
    try {
        worker.ask_to_make("{\"call\":\"goals\"}");
    } catch (const tenon::InvalidArgument& error) {
        throw tenon::Unavailable(error.what());
    }
    return {.achieved = "observation.achieved_goal", .desired = "observation.desired_goal"};
}

void judge(Worker& worker, const tenon::Spec& goal, const tenon::GoalRows& rows) {
    std::vector<std::size_t> wanted;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.wanted(row)) {
            wanted.push_back(row);
        }
    }
    std::string message = "{\"call\":\"judge\",\"rows\":" + std::to_string(wanted.size()) + "}\n";
    tenon::with_dtype(goal.dtype, [&](auto zero) {
        using Element = decltype(zero);
        for (const std::size_t row : wanted) {
            const auto bytes = std::as_bytes(rows.achieved<Element>(row));
            message.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        for (const std::size_t row : wanted) {
            const auto bytes = std::as_bytes(rows.desired<Element>(row));
            message.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
    });
    const std::string said = worker.ask(message);
    if (said.size() != wanted.size() * (sizeof(double) + 1)) {
        throw tenon::Unavailable("a worker process judged another number of rows than it was asked for");
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        double reward = 0;
        std::memcpy(&reward, said.data() + i * sizeof reward, sizeof reward);
        rows.result(wanted[i], {.reward = reward, .terminated = said[wanted.size() * sizeof reward + i] != 0});
    }
}

}  // namespace bridge
