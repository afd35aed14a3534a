// SPDX-License-Identifier: Apache-2.0
// The host as a library: everything that the program `tenon` consists of. Inputs are plain data, and errors are
// Problems; nothing here throws, prints or ends the process.
//
//     Session::open            one wired run in the caller's loop: collect, sample, evaluate, update, score
//     run_training             a whole run, with its folder, records, evaluations, checkpoints, and resuming
//     score_checkpoint         the score of a checkpoint; play_checkpoint shows its episodes
//     play_by_hand             a person plays an env
//     VideoFile, terminal_picture     where they are shown
//     set_up, explain          wires a manifest without running it, and describes the result; check_executor: whether
//                              the requested executor can compute it
//     scan, read_note          the available plugins and their notes, without running their code
//     quarantine_of, try_again plugins that have ended the process that first loaded them
//     check_plugin             checks the contract of a plugin file, each check in a separate process
//     serve                    the program tenon-worker: runs plugins in a separate process
//     make_scaffold            the folder of a new plugin
//     benchmark_env            measures the steps of an env; benchmark_program, benchmark_estimator, benchmark_buffer,
//                              benchmark_manifest: terms, updates and acting, an estimator, choosing rows, a whole run
#pragma once

#include "check/check_plugin.hpp"
#include "error/listed.hpp"
#include "error/problem.hpp"
#include "error/result.hpp"
#include "file/atomic.hpp"
#include "file/sha256.hpp"
#include "isolation/serve.hpp"
#include "json/write.hpp"
#include "log/log.hpp"
#include "plugin/crash.hpp"
#include "plugin/note.hpp"
#include "plugin/registry.hpp"
#include "plugin/scan.hpp"
#include "plugin/search_path.hpp"
#include "quarantine/gate.hpp"
#include "quarantine/known.hpp"
#include "run/buffer_benchmark.hpp"
#include "run/by_hand.hpp"
#include "run/env_benchmark.hpp"
#include "run/estimator_benchmark.hpp"
#include "run/executor_check.hpp"
#include "run/explain.hpp"
#include "run/manifest_benchmark.hpp"
#include "run/program_benchmark.hpp"
#include "run/progress.hpp"
#include "run/recording.hpp"
#include "run/scoring.hpp"
#include "run/session.hpp"
#include "run/setup.hpp"
#include "run/training.hpp"
#include "scaffold/scaffold.hpp"
#include "simd/level_variable.hpp"
#include "train/evaluator.hpp"
#include "video/terminal.hpp"
#include "video/video_file.hpp"
