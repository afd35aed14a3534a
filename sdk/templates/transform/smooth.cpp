// SPDX-License-Identifier: Apache-2.0
// Observations as a moving average over the episode: of each new one it takes the share `weight`.
#include <vector>

#include <tenon/transform.hpp>

struct Smooth {
    double weight;
    std::vector<double> mean;  // empty at the start of an episode

    static constexpr std::string_view column = "observation";
    static constexpr auto options =
        std::tuple{tenon::option<&Smooth::weight>("weight", 0.8, "(0,1]", "the share of the newest observation")};

    void begin() { mean.clear(); }

    void apply(std::span<const float> in, std::span<float> out) {
        if (mean.empty()) {
            mean.assign(in.begin(), in.end());
        }
        for (std::size_t i = 0; i < in.size(); ++i) {
            mean[i] += weight * (in[i] - mean[i]);
            out[i] = static_cast<float>(mean[i]);
        }
    }

    void state(tenon::Archive& archive) { archive(mean); }
};

TENON_PLUGIN("smooth", "0.1.0", tenon::transform<Smooth>("smooth", "a moving average of the observation"));
