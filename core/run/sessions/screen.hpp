// SPDX-License-Identifier: Apache-2.0
// Shows episodes: a screen gets the size of the pictures first, and then each picture in turn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "engines/video/picture_strip.hpp"
#include "engines/video/video_file.hpp"
#include "experience/env/lanes.hpp"
#include "train/collect/evaluator.hpp"
#include "train/collect/score.hpp"
#include "train/progress/run_progress.hpp"

namespace tenon {

// An error from either ends the playing.
struct Screen {
    std::function<Status(const Lanes::Pictures&)> begin;
    std::function<Status(std::span<const std::uint8_t>)> show;
};

// Pictures per second: as in the simulated world, or 30 if the env has no clock.
double frames_per_second(const Lanes::Pictures& pictures);

// Plays the same episodes as an evaluation that has a lane for each of them, one after the other. The evaluator has a
// single lane. If it is stopped, the score is that of the episodes that have ended; none if no episode has ended.
// Calls `seen` where Evaluator::show calls it, and `ended` after each episode.
Result<std::optional<Score>> play_in_turn(
    Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
    const std::function<Status(const Lanes&)>& seen, StopAsked stop, const std::function<void()>& ended = [] {});

// The same episodes on a screen.
Result<std::optional<Score>> show_episodes(Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
                                           const Screen& screen, StopAsked stop);

// Begins a video of these pictures.
Status begin_video(const std::filesystem::path& path, const Lanes::Pictures& pictures, std::optional<VideoFile>& file);

// Films the first episode, as a video at `path`, or in the same folder as an animated PNG if there is no ffmpeg.
// `strip`: gets some of its pictures; null: not wanted.
Status film(Evaluator& evaluator, const RunNumbers& numbers, const std::filesystem::path& path,
            std::optional<PictureStrip>* strip = nullptr);

}  // namespace tenon
