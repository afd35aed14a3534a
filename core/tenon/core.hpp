// SPDX-License-Identifier: Apache-2.0
// The host as a library: what trains, resumes, scores and records runs. Inputs are plain data, and errors are Problems;
// nothing here throws, prints or ends the process. What one command alone does is in host/commands/NAME.
//
// clang-format off
// | what                            | for                                                                |
// |---------------------------------|--------------------------------------------------------------------|
// | `Session`                       | one wired run in the caller's loop: collect, sample, update, score |
// | `ReplayBuffer`                  | a buffer for steps of the caller's own                             |
// | `Batch`                         | named columns, and everything to do with them                      |
// | `save_batch, load_batch`        | a batch as a file                                                  |
// | `run_training`                  | a whole run: folder, records, evaluations, checkpoints, resuming   |
// | `score_checkpoint`              | the score of a checkpoint                                          |
// | `play_checkpoint`               | episodes of a checkpoint                                           |
// | `set_up`                        | a manifest, wired but not run                                      |
// | `check_executor`                | whether the requested executor can compute it                      |
// | `scan, read_note`               | the available plugins and their notes; runs none of their code     |
// | `quarantine_of, try_again`      | plugins that ended the process that first loaded them              |
// | `DriveEnv, DrivePolicy`         | an env that the caller steps, a policy that acts for the caller    |
// | `VideoFile`                     | pictures as a file                                                 |
// | `serve`                         | the program tenon-worker: plugins in a process of their own        |
// clang-format on
#pragma once

#include "base/data/batch.hpp"
#include "base/data/batch_edit.hpp"
#include "base/data/batch_memory.hpp"
#include "base/data/batch_ragged.hpp"
#include "base/data/batch_shape.hpp"
#include "base/data/batch_table.hpp"
#include "base/data/batch_text.hpp"
#include "base/data/view_shape.hpp"
#include "base/data/xml_text.hpp"
#include "base/error/listed.hpp"
#include "base/error/printable.hpp"
#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/atomic.hpp"
#include "base/file/sha256.hpp"
#include "base/file/spawn.hpp"
#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "base/simd/level_variable.hpp"
#include "engines/isolation/serve.hpp"
#include "engines/quarantine/gate.hpp"
#include "engines/quarantine/known.hpp"
#include "engines/quarantine/record.hpp"
#include "engines/video/video_file.hpp"
#include "plugins/plugin/crash.hpp"
#include "plugins/plugin/note.hpp"
#include "plugins/plugin/registry.hpp"
#include "plugins/plugin/scan.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/drive/drive_env.hpp"
#include "run/drive/drive_policy.hpp"
#include "run/drive/drive_text.hpp"
#include "run/sessions/progress.hpp"
#include "run/sessions/replay_buffer.hpp"
#include "run/sessions/scoring.hpp"
#include "run/sessions/session.hpp"
#include "run/sessions/training.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "train/checkpoint/batch_file.hpp"
#include "train/collect/evaluator.hpp"
