// SPDX-License-Identifier: Apache-2.0
// Replay of whole episodes, each equally likely, whatever its length. A shorter one is padded with its last step, which
// the column `mask` marks; a longer one is cut.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

#include "episodes.hpp"
#include "sequence.hpp"

class Trajectories : public Sequences {
public:
    [[nodiscard]] tenon::SamplerPlan plan() const { return plan_of({}, true); }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        episodes_.follow(buffer);
        const Setter to(*this, buffer, rows, 0, true);
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const Window episode = draw(rng, buffer);
            const std::uint32_t spare = episode.steps - std::min(episode.steps, length());
            const std::uint64_t skipped = part_ == "first" ? 0 : part_ == "last" ? spare : rng.below(spare + 1);
            to.set(row, buffer.after(episode.first, skipped), std::min(episode.steps, length()));
        }
    }

    void state(tenon::Archive& archive) { episodes_.archive(archive); }

private:
    [[nodiscard]] Window draw(tenon::Rng& rng, const tenon::Transitions& buffer) const {
        const std::uint64_t all = episodes_.size();
        std::uint64_t number = 0;
        for (int tries = 0; all > 0 && tries < kTries; ++tries) {
            number = rng.below(all);
            if (const Window episode = episodes_.at(buffer, number); episode.steps >= least_) {
                return episode;
            }
        }
        for (std::uint64_t i = 0; i < all; ++i) {
            if (const Window episode = episodes_.at(buffer, (number + i) % all); episode.steps >= least_) {
                return episode;
            }
        }
        throw tenon::FailedPrecondition("the buffer holds no whole episode" +
                                        (least_ > 1 ? " of at least " + std::to_string(least_) + " steps" : "") +
                                        " yet; collect more before the first update (train.start_frames), or give it "
                                        "more room (buffer.capacity)");
    }

    static constexpr int kTries = 1000;

    std::uint32_t least_ = 1;
    std::string part_;
    Episodes episodes_;

public:
    static constexpr auto options = std::tuple_cat(
        Sequences::options,
        std::tuple{tenon::option<&Trajectories::least_>("min_length", 1, "[1,2147483647]",
                                                        "steps that an episode has at least"),
                   tenon::option<&Trajectories::part_>("part", "first", "first|last|any",
                                                       "which steps are kept of an episode with more than length")});
};
