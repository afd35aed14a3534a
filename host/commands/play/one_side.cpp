// SPDX-License-Identifier: Apache-2.0
#include "commands/play/one_side.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "base/error/problem.hpp"
#include "base/log/log.hpp"
#include "commands/play/controls.hpp"
#include "commands/play/desk.hpp"
#include "run/sessions/scoring.hpp"
#include "shared/scoring/scoring_options.hpp"

namespace tenon::host {
namespace {

constexpr std::string_view kTurn = "turn";  // the column of games in which one policy plays all sides

// What a person plays: the actions of a group of agents or, in the steps in which it is their turn, all actions.
struct Side {
    std::string group = {};
    std::optional<std::int64_t> turn = {};
};

bool has_turns(const Spec& spec) {
    return spec.key == kTurn && spec.role == Role::kObservation && spec.kind == SpecKind::kCategorical &&
           spec.dtype == DType::kI64 && spec.shape.elements() == 1;
}

Result<Side> find_side(const std::string& asked, const Composite& specs, const std::string& env) {
    std::vector<std::string> sides;
    for (const std::string_view group : specs.groups()) {
        const auto is_action = [&](const Spec& spec) { return spec.role == Role::kAction && spec.group == group; };
        if (std::ranges::any_of(specs.specs, is_action)) {
            sides.emplace_back(group);
        }
    }
    const bool of_groups = sides.size() > 1;
    if (const auto turns = std::ranges::find_if(specs.specs, has_turns); !of_groups && turns != specs.specs.end()) {
        sides.clear();
        for (std::int64_t side = 0; side < turns->categories[0]; ++side) {
            sides.push_back(std::to_string(side));
        }
    }
    if (sides.size() < 2) {
        return input_problem("a person cannot take a side of " + env +
                                 ": it has neither two groups of agents that act nor a column 'turn'",
                             {}, "without --side, the person plays alone");
    }
    const auto found = std::ranges::find(sides, asked);
    if (found == sides.end()) {
        const std::vector<std::string_view> known(sides.begin(), sides.end());
        return input_problem("--side is '" + asked + "', which is no side of " + env + did_you_mean(asked, known) +
                             " (sides: " + listed(sides) + ")");
    }
    return of_groups ? Side{.group = asked} : Side{.turn = found - sides.begin()};
}

// The specs that keys set and that say what is allowed.
Composite of_side(const Composite& specs, const Side& side) {
    Composite out = specs;
    std::erase_if(out.specs, [&](const Spec& spec) { return !side.group.empty() && spec.group != side.group; });
    return out;
}

// Plays episodes until the person leaves.
class Game {
public:
    Game(Evaluator& evaluator, Side side, Controls controls)
        : evaluator_(evaluator), side_(std::move(side)), controls_(std::move(controls)) {}

    Result<std::optional<Score>> play(const RunNumbers& numbers, std::int64_t episodes, StopAsked stop) {
        const Lanes::Pictures pictures = TENON_TRY(evaluator_.lanes().pictures());
        pixels_.resize(std::size_t{3} * pictures.height * pictures.width);
        desk_.begin(pictures, controls_);
        evaluator_.overrule([this](const Storage& storage) { return choose(storage); });
        std::vector<double> returns;
        double steps = 0;
        for (std::int64_t episode = 0; episode < episodes && !left_; ++episode) {
            so_far_ = {};
            Result<std::optional<Score>> played = evaluator_.show(
                numbers, static_cast<std::uint32_t>(episode),
                [this](const Lanes& lanes) { return lanes.draw(0, pixels_); }, stop);
            if (left_ || (played && !*played)) {
                break;
            }
            const Score score = *TENON_TRY(std::move(played));
            returns.push_back(score.return_mean);
            steps += score.length_mean;
            // The last picture stays until a key is pressed.
            left_ = !desk_.turn(pixels_, controls_, {.total = score.return_mean, .length = so_far_.length});
        }
        evaluator_.overrule({});
        return returns.empty() ? std::nullopt : std::optional(score_of(returns, static_cast<std::int64_t>(steps)));
    }

private:
    // The policy has written all actions.
    Status choose(const Storage& storage) {
        const bool waits = side_.turn && turn_at(storage) != *side_.turn;
        if (!waits && controls_.has_choice(storage)) {
            do {
                TENON_TRY(evaluator_.lanes().draw(0, pixels_));
                if (!desk_.turn(pixels_, controls_, so_far_)) {
                    left_ = true;
                    return input_problem("the person has left");
                }
            } while (!controls_.is_allowed(storage));
            controls_.write(storage);
        }
        ++so_far_.length;
        return {};
    }

    static std::int64_t turn_at(const Storage& storage) {
        return *static_cast<const std::int64_t*>(row_at(storage.find(kTurn)->view, storage.head(), 0));
    }

    Evaluator& evaluator_;
    Side side_;
    Controls controls_;
    Desk desk_;
    std::vector<std::uint8_t> pixels_;
    Episode so_far_;
    bool left_ = false;
};

}  // namespace

std::optional<Score> play_one_side(const CommandLine& line, Problems& problems) {
    if (line.has("set")) {
        problems.push_back(input_problem("play --side takes no --set: a checkpoint is played in the env of its run"));
        return std::nullopt;
    }
    Result<ScoringRequest> request = scoring_request(line, "play");
    if (!request) {
        problems.push_back(std::move(request.error()));
        return std::nullopt;
    }
    const auto play = [&](Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
                          StopAsked stop) -> Result<std::optional<Score>> {
        const Lanes& lanes = evaluator.lanes();
        Side side = TENON_TRY(find_side(line.text("side"), lanes.specs(), lanes.name()));
        Controls controls = TENON_TRY(Controls::make(of_side(lanes.specs(), side), lanes.name()));
        TENON_TRY(open_desk());
        return Game(evaluator, std::move(side), std::move(controls)).play(numbers, episodes, stop);
    };
    return play_checkpoint(*request, play, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
}

}  // namespace tenon::host
