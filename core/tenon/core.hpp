// SPDX-License-Identifier: Apache-2.0
// The host as a library: all that the program `tenon` is made of. What a call needs comes in as plain data, what went
// wrong comes out as Problems; nothing here throws, prints or ends the process.
//
//     Session::open            one wired run under a loop of the caller's: collect, sample, evaluate, update, score
//     run_training             a whole run, with its folder, records, evaluations, checkpoints, and resuming
//     score_checkpoint         the score of a checkpoint
//     set_up, explain          wiring a manifest without running it, and what came of it; check_executor: whether the
//                              executor that it asks for can compute that
//     scan, read_note          plugins: which there are and what they say of themselves, without running their code
//     quarantine_of, try_again which of them have ended the process that loaded them first
//     check_plugin             the contract of a plugin file, each check in a process of its own
//     serve                    what tenon-worker does: plugins in a process of their own
//     make_scaffold            the folder of a new plugin
//     benchmark_env            how fast an env steps; benchmark_program, benchmark_estimator, benchmark_buffer,
//                              benchmark_manifest: how long terms, updates and acting, an estimator, choosing rows, a
//                              whole run take
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
