// SPDX-License-Identifier: Apache-2.0
// Reads the frames that a path names: a file of frames, the newest checkpoint of a run, a checkpoint, or a dataset of a
// format that a plugin reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/dataset/dataset.hpp"
#include "experience/env/transformed_frames.hpp"
#include "train/checkpoint/frames_file.hpp"

namespace tenon {

struct Host;

struct BufferPlan;
struct Wiring;

struct NamedFrames {
    std::filesystem::path file;  // what was read
    std::string format;          // "tenon frames/1", or the component that read it
    SavedFrames frames;
    Composite specs = {};                       // of the columns; empty if the file has them in words only
    std::vector<DatasetEpisode> episodes = {};  // of a dataset: with their seeds
    std::vector<std::string> left_out = {};     // sentences about parts of a dataset that are no columns
};

Result<NamedFrames> read_named_frames(const std::filesystem::path& path, Host& host);

// Reads the initial content of a buffer, the frames of the run or file that its init names, into a separate storage. A
// buffer that collects can copy them from it; any other buffer uses this storage as its own. With transform_init, the
// env's transforms run over them, and what these have learnt is returned, too.
Result<TransformedFrames> read_initial_frames(const Wiring& wiring, const BufferPlan& buffer);

}  // namespace tenon
