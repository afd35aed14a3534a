// SPDX-License-Identifier: Apache-2.0
// Tables about the run as a whole and its output: evaluations, metrics, checkpoints.
#include "config/manifest/table_keys.hpp"

namespace tenon::tables {
namespace {

TableSchema run() {
    return {.name = "run",
            .help = "The run as a whole.",
            .keys = {
                text("name", "",
                     "Names the run's folder, `runs/NAME-1` and so on; empty: the name of the manifest's file."),
                whole("seed", 0, "[0,9007199254740992]",
                      "Seed of all random numbers of the run. `--seed N` is short for it."),
                text("device", "cpu",
                     "`cuda` (the first GPU) or `cuda:N`: where envs that have kernels are stepped, where samplers "
                     "that have kernels choose rows, and where updates are computed (`run.learn_on`). If all of a "
                     "round has kernels, policies act on it and columns stay in its memory, as `tenon explain` says; "
                     "otherwise policies act on the CPU. `emulated` runs the kernels on the CPU, slowly, for tests."),
                choice("learn_on", {"auto", "cpu", "device"}, "auto",
                       "Where updates are computed, if `run.device` is not the CPU. `auto`: on the device, if all that "
                       "an update needs has kernels, or libtorch can compute it; otherwise on the CPU. "
                       "`tenon explain` says which, and why. `device` refuses a manifest in which an update cannot be "
                       "computed on the device."),
                choice("jit", {"auto", "off", "always"}, "auto",
                       "On a GPU: whether elementwise loops of updates are compiled for it at run time, by NVRTC of "
                       "the CUDA Toolkit; otherwise kernels that come with the program interpret them. It never "
                       "changes a result. `auto`: in the background, once they have been used 500 times; a run "
                       "without NVRTC says so and goes on. `always`: before they are used a second time; without "
                       "NVRTC the manifest is refused."),
                whole("threads", 1, "[1,1024]",
                      "Threads that step lanes and share large products. Their number never changes a result."),
                choice("dtype", {"float32", "float64"}, "float32", "The type of parameters and of arithmetic."),
                choice("executor", {"auto", "reference", "compiled"}, "auto",
                       "What computes the graphs. `reference` is libtorch. `compiled` generates its own loops and "
                       "products, and refuses graphs that it cannot compile. `auto` compiles what it can and leaves "
                       "the rest to the reference. It compares the first three updates with the reference; if they "
                       "differ, it reports the node and continues with the reference."),
                optional(whole("total_frames", 0, "[1,1e15]",
                               "Length of the run: it ends after the round of `[train]` that reaches this number of "
                               "frames. Required, unless `train.total_updates` is given.")),
                optional(real("stop_at_return", 0, "(-inf,inf)",
                              "Ends the run early once the mean return of an evaluation is at least this; without "
                              "evaluations, that of the last 100 training episodes.")),
                optional(whole("stop_at_episodes", 1, "[1,1e15]",
                               "Ends the run early after the round in which so many training episodes have ended, of "
                               "all lanes together.")),
                optional(whole("shards", 1, "[1,1024]",
                               "Processes that learn together, on this machine or on several: each has a share of the "
                               "lanes, of `train.batch`, of each minibatch and of the buffer, and gradients are summed "
                               "over all ([scale.md](../scale.md#shards)). The number is part of what the run is, as "
                               "`env.lanes` is; where the processes are is not. 1 by default.")),
            }};
}

TableSchema plugins() {
    return {.name = "plugins",
            .help = "Where plugins are searched for, and where they run.",
            .keys = {
                texts("search",
                      "Folders to search, besides those of `--plugins` and `TENON_PLUGIN_PATH`. Their plugins have "
                      "priority over shipped ones of the same name, which are then named `shipped:library/component`. "
                      "One that is not there is an error, unless `--plugins` names another."),
                choice("isolation", {"inproc", "process"}, "inproc",
                       "`process` runs environments, transforms and procedural policies in separate processes, unless "
                       "their tables say otherwise. Graphs are always built in the host."),
            }};
}

TableSchema isolation_table() {
    return {
        .name = "isolation",
        .help =
            "Limits of components that run in separate processes (`isolation = \"process\"`). If a process ends or "
            "does not answer, it is restarted: its lanes lose the step and begin new episodes.",
        .keys = {
            whole("workers", 1, "[1,1024]",
                  "Processes that share the lanes of an environment and step in parallel; transforms and policies have "
                  "one each."),
            real("time_limit", 30, "(0,1e6]", "Seconds that a call may take; then the process is killed."),
            whole("restarts", 5, "[0,1e9]",
                  "How often the processes of one component may be restarted in a run; one more failure ends the run."),
            whole("memory", 0, "[0,1e9]", "Megabytes of memory that a process may map; 0: no limit."),
            whole("processor", 0, "[0,1e9]", "Seconds of processor time that a process may use; 0: no limit."),
            flag("network", true,
                 "Whether a process may open sockets to other machines. false is an error if the kernel cannot forbid "
                 "it."),
        }};
}

TableSchema pins() {
    return {.name = "plugins.sha256",
            .help =
                "Keys are names of libraries, values the SHA-256 that their files must have, as 64 hexadecimal digits. "
                "`\"shipped:library\"` pins a shipped one. Other libraries are not checked.",
            .keys = {}};
}

OptionSchema every_updates() {
    return optional(
        whole("every_updates", 0, "[0,1e15]",
              "The same in updates, for a run with `train.total_updates`; the default is the same number."));
}

TableSchema eval() {
    return {.name = "eval",
            .help =
                "Scores the policy at intervals, in a separate environment and without exploration, always over the "
                "same episodes. The best policy so far is kept as a checkpoint.",
            .keys = {
                whole("every_frames", 0, kFrames,
                      "Frames between evaluations; another one follows at the end of the run. 0: none."),
                every_updates(),
                whole("episodes", 10, "[1,1000000]", "Episodes per evaluation, and for `tenon eval`."),
                optional(whole("max_steps", 0, "[0,1e9]",
                               "Cuts off an episode of an evaluation after so many steps, and counts what it has "
                               "returned by then; also for `tenon eval` and `tenon play`. 0: never. The default is "
                               "27,000, as in games of Atari, if the environment declares no time limit, else 0.")),
                whole("patience", 0, "[0,1000000]",
                      "Ends the run early after so many evaluations in a row whose mean return is not better than the "
                      "best so far. 0: never."),
                optional(whole("seed", 0, "[0,9007199254740992]",
                               "Seed of evaluations; `run.seed` by default, with random streams of its own.")),
                optional(whole("lanes", 1, "[1,65536]", "Number of lanes; one per episode by default.")),
                choice("actions", {"mode", "mean", "sample"}, "mode",
                       "Which actions: `mode` takes the likeliest one (or what the policy declares as such), `mean` "
                       "the mean of its distribution, `sample` draws from it. None of them explores."),
                optional(text("returns", {},
                              "The reward that returns are sums of, here and in training: `reward` by default, or else "
                              "the environment's first one. Of a group of agents, such as `agents.reward`, it is the "
                              "mean over those who are present.")),
                flag("background", false,
                     "Plays evaluations on another thread while the run goes on, with a copy of the weights and "
                     "statistics. The result is taken when the next evaluation is due, and recorded for the frame of "
                     "the copy ([collecting.md](../collecting.md#evaluating-while-training))."),
                flag("video", false,
                     "Films the first episode of each evaluation that is kept as a checkpoint: `video.mp4` in its "
                     "folder, or `video.png`, an animated PNG, if there is no `ffmpeg`."),
            }};
}

TableSchema eval_env() {
    return {.name = "eval.env",
            .heading = "[eval.env] or [[eval.env]]",
            .help =
                "The environment of evaluations, if it differs from that of training. Keys that are not given are as "
                "in `[env]`; another plugin starts with its own defaults. Its observations and actions must be those "
                "of training. The first one of a list decides which checkpoint is the best.",
            .component = true,
            .keys = {
                optional(text("plugin", {}, "The component, as \"library/component\"; that of `[env]` by default.")),
                isolation(),
                optional(text("name", {},
                              "Its name in metrics (`eval/NAME/mean_reward`) and in `tenon eval --env NAME`. Only one "
                              "of several environments may have no name.")),
                optional(whole("lanes", 1, "[1,65536]", "Number of lanes; as in `[eval]` by default.")),
            }};
}

TableSchema eval_tasks() {
    return {.name = "eval.env.tasks",
            .heading = "[[eval.env.tasks]]",
            .help =
                "Replaces all of `[[env.tasks]]`; `tasks = []` in `[eval.env]` means none. Without it, evaluations in "
                "the same component have the tasks of training, with the keys of `[eval.env]` for each.",
            .component = true,
            .keys = {
                optional(text("plugin", {}, "The component; that of `[eval.env]` by default.")),
                isolation(),
                optional(text("name", {}, "Its name in metrics, after that of the environment.")),
            }};
}

TableSchema eval_wrappers() {
    return {.name = "eval.env.wrappers",
            .heading = "[[eval.env.wrappers]]",
            .help = "Replaces all of `[[env.wrappers]]`; `wrappers = []` in `[eval.env]` means none.",
            .component = true,
            .keys = {plugin()}};
}

TableSchema eval_transforms() {
    return {.name = "eval.env.transforms",
            .heading = "[[eval.env.transforms]]",
            .help = "Replaces all of `[[env.transforms]]`; `transforms = []` in `[eval.env]` means none.",
            .component = true,
            .keys = {plugin(), isolation()}};
}

TableSchema log() {
    return {
        .name = "log",
        .help = "Metrics, written to `metrics.jsonl` and `metrics.csv`.",
        .keys = {
            whole("every_frames", 1000, "[1,1e15]", "Frames between records; each evaluation adds one."),
            every_updates(),
            flag("tensorboard", true,
                 "Whether metrics are also written to `tensorboard/`, for `tensorboard --logdir` on the run's "
                 "folder or on a folder of runs."),
            flag("profile", false,
                 "Whether to measure where the time goes: seconds since the previous record, as metrics under `time/`. "
                 "`tenon run --profile` sets it, and prints a table at the end."),
        }};
}

TableSchema checkpoint() {
    return {
        .name = "checkpoint",
        .help = "Checkpoints, from which a run can be resumed.",
        .keys = {
            whole("every_frames", 0, kFrames,
                  "Frames between checkpoints; 0: none. The end of the run, Ctrl-C and an evaluation among the best "
                  "(`best`) always write one."),
            every_updates(),
            whole("keep", 3, "[1,1000000]", "How many of the newest checkpoints are kept, besides the best."),
            whole("best", 1, "[1,1000]",
                  "How many checkpoints of the best evaluations are kept. `--checkpoint best` is the best one, "
                  "`best-2` the second, and so on."),
            flag("buffer", true,
                 "Whether a checkpoint contains the buffer's frames. Without them a resumed run differs from one "
                 "that never stopped."),
        }};
}

TableSchema validate() {
    OptionSchema allow = texts("allow", "Warnings that `tenon validate` does not give, because the manifest means it.");
    allow.choices = {"horizon",      "target_entropy", "reward_scale",      "truncation",
                     "replay_ratio", "short_batch",    "observation_scale", "scheduled_value",
                     "pool",         "device",         "time_limit",        "untrained",
                     "guide",        "stop",           "draws",             "unread_column"};
    return {.name = "validate",
            .help = "What `tenon validate` warns of; docs/warnings.md has each warning. It changes nothing in a run.",
            .keys = {std::move(allow)}};
}

}  // namespace

std::vector<TableSchema> of_run() {
    return {run(), plugins(), pins(), isolation_table()};
}

std::vector<TableSchema> of_records() {
    return {eval(), eval_env(), eval_tasks(), eval_wrappers(), eval_transforms(), log(), checkpoint(), validate()};
}

}  // namespace tenon::tables
