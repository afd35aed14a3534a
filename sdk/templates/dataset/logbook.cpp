// SPDX-License-Identifier: Apache-2.0
// Episodes of CartPole as text: on each line the four numbers of an observation, then the action and the reward. In
// their place "fell" or "cut" follows the observation after an episode's last step.
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tenon/dataset.hpp>

struct Logbook {
    struct Recorded {
        std::vector<std::array<float, 4>> observations;  // one more than steps
        std::vector<std::int64_t> actions;
        std::vector<float> rewards;
    };
    std::vector<Recorded> recorded;

    static bool claims(const std::string& path) { return path.ends_with(".log"); }

    tenon::DatasetInfo open(const std::string& path) {
        tenon::DatasetInfo out{.columns = {tenon::unbounded("observation", {4}), tenon::categorical("action", 2),
                                           tenon::unbounded("reward")},
                               .facts = {{"env", "CartPole-v1"}}};
        out.columns[0].role = TN_ROLE_OBSERVATION;
        out.columns[1].role = TN_ROLE_ACTION;
        out.columns[2].role = TN_ROLE_REWARD;
        std::ifstream file(path);
        Recorded now;
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            std::array<float, 4> observation{};
            std::string action;
            float reward = 0;
            words >> observation[0] >> observation[1] >> observation[2] >> observation[3] >> action;
            now.observations.push_back(observation);
            if (action == "fell" || action == "cut") {
                out.episodes.push_back(
                    {.length = now.actions.size(), .terminated = action == "fell", .truncated = action == "cut"});
                recorded.push_back(std::exchange(now, {}));
            } else if (words >> reward && (action == "0" || action == "1")) {
                now.actions.push_back(action == "1" ? 1 : 0);
                now.rewards.push_back(reward);
            } else {
                throw tenon::DataLoss(path + " has a line that is no step: " + line);
            }
        }
        if (out.episodes.empty() || !now.observations.empty()) {
            throw tenon::DataLoss(path + " does not end with the end of an episode");
        }
        return out;
    }

    void read(std::size_t episode, std::size_t column, void* rows) const {
        const auto copy = [&](const auto& all) { std::memcpy(rows, all.data(), all.size() * sizeof all[0]); };
        const Recorded& of = recorded[episode];
        column == 0 ? copy(of.observations) : column == 1 ? copy(of.actions) : copy(of.rewards);
    }
};

TENON_PLUGIN("logbook", "0.1.0", tenon::dataset<Logbook>("logbook", "episodes as lines of text"));
