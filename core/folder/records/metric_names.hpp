// SPDX-License-Identifier: Apache-2.0
// The names of the metrics that every run records. Names below train/ are in graph/metric_names.hpp. Where
// Stable-Baselines3 has a name, it is the same, except for its time/total_timesteps: that is `frames` here, because
// metrics below time/ may differ between two equal runs.
#pragma once

#include <string_view>

namespace tenon::metric {

inline constexpr std::string_view kFrames = "frames";
inline constexpr std::string_view kEpisodeReturnMean = "rollout/ep_rew_mean";
inline constexpr std::string_view kEpisodeLengthMean = "rollout/ep_len_mean";
inline constexpr std::string_view kExplorationRate = "rollout/exploration_rate";
inline constexpr std::string_view kBufferBytes = "rollout/buffer_bytes";        // that compressed columns take
inline constexpr std::string_view kPolicyLag = "rollout/policy_lag";            // in updates
inline constexpr std::string_view kParameterNoise = "rollout/parameter_noise";  // its standard deviation
inline constexpr std::string_view kParameterNoiseDistance = "rollout/parameter_noise_distance";  // of actions
inline constexpr std::string_view kEvalReturnMean = "mean_reward";  // this and the next two: below eval/ or eval/NAME/
inline constexpr std::string_view kEvalReturnStd = "std_reward";
inline constexpr std::string_view kEvalLengthMean = "mean_ep_length";
inline constexpr std::string_view kEpisodes = "rollout/episodes";
inline constexpr std::string_view kTime = "time/";
inline constexpr std::string_view kFramesPerSecond = "time/fps";
inline constexpr std::string_view kSeconds = "time/time_elapsed";
inline constexpr std::string_view kExchange = "time/exchange";  // this and the next two: of runs with shards
inline constexpr std::string_view kWait = "time/wait";
inline constexpr std::string_view kSlowest = "time/slowest_shard";
inline constexpr std::string_view kHook = "hook/";

}  // namespace tenon::metric
