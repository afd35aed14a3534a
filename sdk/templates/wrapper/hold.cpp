// SPDX-License-Identifier: Apache-2.0
// Every action is held for a random number of steps, `least` to `most`. Rewards add up.
#include <tenon/wrapper.hpp>

struct Hold {
    std::int64_t least;
    std::int64_t most;

    static constexpr auto options =
        std::tuple{tenon::option<&Hold::least>("least", 1, "[1,100]", "an action is held for at least so many steps"),
                   tenon::option<&Hold::most>("most", 3, "[1,100]", "and for at most so many")};

    struct Lane {
        std::int64_t steps = 0;  // for the present action
    };

    void setup() const {
        if (least > most) {
            throw tenon::InvalidArgument("option 'least' is above option 'most'");
        }
    }

    bool step(Lane& lane, const tenon::WrapperRow& row, tenon::Rng& rng) const {
        if (row.steps() == 1) {
            lane.steps = least + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(most - least + 1)));
        }
        return row.steps() < lane.steps;
    }
};

TENON_PLUGIN("hold", "0.1.0", tenon::wrapper<Hold>("hold", "actions are held for a random number of steps"));
