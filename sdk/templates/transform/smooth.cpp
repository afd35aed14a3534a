// SPDX-License-Identifier: Apache-2.0
// Observations as an exponential moving average over the episode; each new one has the given `weight`.
#include <vector>

#include <tenon/transform.hpp>

struct Smooth {
    double weight;

    static constexpr std::string_view column = "observation";
    static constexpr auto options =
        std::tuple{tenon::option<&Smooth::weight>("weight", 0.8, "(0,1]", "weight of the newest observation")};

    struct Lane {
        std::vector<double> mean;  // empty at the start of an episode
        void state(tenon::Archive& archive) { archive(mean); }
    };

    static void begin(Lane& lane) { lane.mean.clear(); }

    void apply(Lane& lane, std::span<const float> in, std::span<float> out) const {
        if (lane.mean.empty()) {
            lane.mean.assign(in.begin(), in.end());
        }
        for (std::size_t i = 0; i < in.size(); ++i) {
            lane.mean[i] += weight * (in[i] - lane.mean[i]);
            out[i] = static_cast<float>(lane.mean[i]);
        }
    }
};

TENON_PLUGIN("smooth", "0.1.0", tenon::transform<Smooth>("smooth", "a moving average of the observation"));
