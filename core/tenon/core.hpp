// SPDX-License-Identifier: Apache-2.0
// The host as a library: everything that the program `tenon` consists of. Inputs are plain data, and errors are
// Problems; nothing here throws, prints or ends the process.
//
//     Session::open            one wired run in the caller's loop: collect, roll out, sample, evaluate, update, score
//     ReplayBuffer::make       a buffer for steps of the caller's own
//     Batch                    named columns, and everything to do with them; save_batch, load_batch
//     run_training             a whole run, with its folder, records, evaluations, checkpoints, and resuming
//     run_seeds                the same manifest with several seeds, each run in a process of its own
//     score_checkpoint         the score of a checkpoint; play_checkpoint shows its episodes
//     play_by_hand             a person plays an env
//     export_c, export_onnx    a checkpoint's policy as a file of C99 or ONNX; export_safetensors: its weights
//     import_policy            weights of another program as a run
//     open_frames, info_of     recorded frames or a dataset; stats_of, first_rows, convert_frames, plot_episodes
//     find_runs, HistoryReader     the runs of a folder, and their records, read back; read_run_info, state_of
//     compare_runs             groups of runs side by side; to_svg draws curves
//     read_sweep, run_sweep    trials of a manifest with other values, and the search for the best
//     serve_dash               a live page of runs, for a browser; RunWatch, top_screen: the same as text; stop_run,
//     ask_run serve_policy             a policy that answers requests of other programs VideoFile, terminal_picture
//     where they are shown set_up, explain          wires a manifest without running it, and describes the result;
//     check_executor: whether
//                              the requested executor can compute it
//     advice_of                what in a wired manifest is probably not meant
//     one_line_manifest        the manifest that a preset gives for an algorithm and an env
//     scan, read_note          the available plugins and their notes, without running their code
//     quarantine_of, try_again plugins that have ended the process that first loaded them
//     check_plugin             checks the contract of a plugin file, each check in a separate process
//     serve                    the program tenon-worker: runs plugins in a separate process
//     make_scaffold            the folder of a new plugin
//     DriveEnv, DrivePolicy    an env that the caller steps, a policy that acts on the caller's observations
//     diagnose                 what this machine has of everything that commands and plugins can use
//     benchmark_env            measures the steps of an env; benchmark_program, benchmark_estimator, benchmark_buffer,
//                              benchmark_manifest: terms, updates and acting, an estimator, choosing rows, a whole run
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
#include "base/error/counted.hpp"
#include "base/error/listed.hpp"
#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/atomic.hpp"
#include "base/file/sha256.hpp"
#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "base/simd/level_variable.hpp"
#include "check/check_plugin.hpp"
#include "plugins/isolation/serve.hpp"
#include "plugins/plugin/crash.hpp"
#include "plugins/plugin/note.hpp"
#include "plugins/plugin/registry.hpp"
#include "plugins/plugin/scan.hpp"
#include "plugins/plugin/search_path.hpp"
#include "plugins/quarantine/gate.hpp"
#include "plugins/quarantine/known.hpp"
#include "plugins/quarantine/record.hpp"
#include "plugins/scaffold/scaffold.hpp"
#include "run/advice/advice.hpp"
#include "run/bench/buffer_benchmark.hpp"
#include "run/bench/env_benchmark.hpp"
#include "run/bench/estimator_benchmark.hpp"
#include "run/bench/manifest_benchmark.hpp"
#include "run/bench/program_benchmark.hpp"
#include "run/compare/comparison.hpp"
#include "run/compare/comparison_plot.hpp"
#include "run/compare/comparison_text.hpp"
#include "run/dash/ask_run.hpp"
#include "run/dash/dash.hpp"
#include "run/dash/run_watch.hpp"
#include "run/dash/top_screen.hpp"
#include "run/doctor/doctor.hpp"
#include "run/drive/drive_env.hpp"
#include "run/drive/drive_policy.hpp"
#include "run/drive/drive_text.hpp"
#include "run/explain/explain.hpp"
#include "run/export/c_file.hpp"
#include "run/export/onnx_file.hpp"
#include "run/export/weights_file.hpp"
#include "run/frames/convert.hpp"
#include "run/frames/frames_info.hpp"
#include "run/frames/frames_rows.hpp"
#include "run/frames/frames_stats.hpp"
#include "run/frames/open_frames.hpp"
#include "run/frames/plot.hpp"
#include "run/history/find_runs.hpp"
#include "run/history/history_reader.hpp"
#include "run/history/natural_order.hpp"
#include "run/history/run_info.hpp"
#include "run/history/run_state.hpp"
#include "run/import/import_policy.hpp"
#include "run/pictures/chart.hpp"
#include "run/pictures/picture_file.hpp"
#include "run/presets/one_line.hpp"
#include "run/presets/preset.hpp"
#include "run/serve/serve.hpp"
#include "run/sessions/by_hand.hpp"
#include "run/sessions/lane_worker.hpp"
#include "run/sessions/progress.hpp"
#include "run/sessions/recording.hpp"
#include "run/sessions/replay_buffer.hpp"
#include "run/sessions/scoring.hpp"
#include "run/sessions/session.hpp"
#include "run/sessions/training.hpp"
#include "run/start/executor_check.hpp"
#include "run/start/setup.hpp"
#include "run/sweep/interval.hpp"
#include "run/sweep/seed_list.hpp"
#include "run/sweep/seeds.hpp"
#include "run/sweep/sweep.hpp"
#include "run/sweep/sweep_file.hpp"
#include "run/video/terminal.hpp"
#include "run/video/video_file.hpp"
#include "train/checkpoint/batch_file.hpp"
#include "train/collect/evaluator.hpp"
