// SPDX-License-Identifier: Apache-2.0
// Tables about the run as a whole and its output: evaluations, metrics, checkpoints.
#include "manifest/table_keys.hpp"

namespace tenon::tables {
namespace {

TableSchema run() {
    return {
        .name = "run",
        .heading = "[run]",
        .help = "The run as a whole.",
        .component = false,
        .keys = {
            text("name", "", "Names the run's folder, `runs/NAME-1` and so on; empty: the manifest's file name does."),
            whole("seed", 0, "[0,9007199254740992]",
                  "Where all random numbers of the run come from. `--seed N` is short for it."),
            choice("device", {"cpu"}, "cpu", "Where networks are evaluated and trained."),
            whole("threads", 1, "[1,1024]",
                  "Threads that step lanes and share large products. Their number never changes a result."),
            choice("dtype", {"float32", "float64"}, "float32", "The type of parameters and of arithmetic."),
            choice(
                "executor", {"auto", "reference", "compiled"}, "auto",
                "What computes the graphs: `reference` is libtorch; `compiled` makes loops and products of its own of "
                "them, and refuses what has no such form. `auto` compiles, leaves to the reference what it cannot "
                "compile, and holds the first three updates against it; where they disagree it says on what node and "
                "goes on with the reference."),
            optional(whole("total_frames", 0, "[1,1e15]",
                           "When the run ends: with the round of `[train]` that reaches this many frames. It must be "
                           "given, unless `train.total_updates` is.")),
            optional(real("stop_at_return", 0, "(-inf,inf)",
                          "Ends the run early, once the mean return of an evaluation is at least this; where there "
                          "are no evaluations, that of the last 100 episodes collected.")),
        }};
}

TableSchema plugins() {
    return {
        .name = "plugins",
        .heading = "[plugins]",
        .help = "Where plugins are looked for, and where they run.",
        .component = false,
        .keys = {
            texts("search",
                  "Folders to look in, before those of `TENON_PLUGIN_PATH` and the program's own. Relative ones count "
                  "from the manifest's folder."),
            choice("isolation", {"inproc", "process"}, "inproc",
                   "`process` runs environments, transforms and policies that are procedures in processes of their "
                   "own, unless their tables say otherwise. What is a graph is built in the host."),
        }};
}

TableSchema isolation_table() {
    return {
        .name = "isolation",
        .heading = "[isolation]",
        .help =
            "What runs in a process of its own (`isolation = \"process\"`) and how often it may fail. Where a process "
            "ends or does not answer, it is begun anew: its lanes lose the step and begin new episodes.",
        .component = false,
        .keys = {
            whole("workers", 1, "[1,1024]",
                  "Processes that share the lanes of an environment and step at the same time; transforms and policies "
                  "have one each."),
            real("time_limit", 30, "(0,1e6]", "Seconds that a call may take, after which the process is ended."),
            whole("restarts", 5, "[0,1e9]",
                  "How often the processes of one component may be begun anew in a run; the next end of one ends the "
                  "run."),
            whole("memory", 0, "[0,1e9]", "Megabytes of memory that a process may map; 0: no limit."),
            whole("processor", 0, "[0,1e9]", "Seconds of processor time that a process may use; 0: no limit."),
            flag("network", true,
                 "Whether it may open sockets other than those of this machine. Where the kernel cannot forbid it, "
                 "false is an error."),
        }};
}

TableSchema pins() {
    return {.name = "plugins.sha256",
            .heading = "[plugins.sha256]",
            .help =
                "Keys are names of libraries, values the SHA-256 that the file must have, as 64 hexadecimal digits. "
                "A library that is not named here may be any.",
            .component = false,
            .keys = {}};
}

OptionSchema every_updates() {
    return optional(whole("every_updates", 0, "[0,1e15]",
                          "The same in updates, for a run with `train.total_updates`, and by default as many."));
}

TableSchema eval() {
    return {
        .name = "eval",
        .heading = "[eval]",
        .help =
            "Scores the policy now and then, in an environment of its own and without exploration, always over the "
            "same episodes. The best one yet is kept as a checkpoint.",
        .component = false,
        .keys = {
            whole("every_frames", 0, kFrames, "Frames from one evaluation to the next, and one at the end; 0: none."),
            every_updates(),
            whole("episodes", 10, "[1,1000000]", "Episodes in one evaluation, and in `tenon eval`."),
            optional(whole("seed", 0, "[0,9007199254740992]",
                           "Its own seed; otherwise `run.seed`, whose streams it does not share.")),
            optional(whole("lanes", 1, "[1,65536]", "Its own number of lanes; otherwise one an episode.")),
            choice("actions", {"mode", "mean", "sample"}, "mode",
                   "Which actions: the likeliest, or what the policy says is that, the mean of its distribution, or "
                   "draws from it. None of them explores."),
        }};
}

TableSchema eval_env() {
    return {
        .name = "eval.env",
        .heading = "[eval.env] or [[eval.env]]",
        .help =
            "The environment of evaluations, where it is not that of the training: what is not given here is as in "
            "`[env]`, and another plugin begins with its own defaults. Its observations and actions must be those of "
            "the training's. Of a list the first one decides which checkpoint is the best.",
        .component = true,
        .keys = {
            optional(text("plugin", {}, "The component, as \"library/component\"; otherwise that of `[env]`.")),
            isolation(),
            optional(
                text("name", {},
                     "Stands in its metrics, `eval/NAME/mean_reward`, and is what `tenon eval --env NAME` means; of "
                     "several environments one may be without.")),
            optional(whole("lanes", 1, "[1,65536]", "Its own number of lanes; otherwise as in `[eval]`.")),
        }};
}

TableSchema eval_transforms() {
    return {.name = "eval.env.transforms",
            .heading = "[[eval.env.transforms]]",
            .help = "In place of all of `[[env.transforms]]`; `transforms = []` in `[eval.env]` stands for none.",
            .component = true,
            .keys = {plugin(), isolation()}};
}

TableSchema log() {
    return {.name = "log",
            .heading = "[log]",
            .help = "The metrics, in `metrics.jsonl` and `metrics.csv`.",
            .component = false,
            .keys = {
                whole("every_frames", 1000, "[1,1e15]", "Frames from one record to the next; an evaluation adds one."),
                every_updates(),
                flag("tensorboard", true,
                     "Whether they are in `tensorboard/` too, for `tensorboard --logdir` on the run's folder or on a "
                     "folder of runs."),
            }};
}

TableSchema checkpoint() {
    return {.name = "checkpoint",
            .heading = "[checkpoint]",
            .help = "What a run can be resumed from.",
            .component = false,
            .keys = {
                whole("every_frames", 0, kFrames,
                      "Frames from one checkpoint to the next; 0: none. The end of the run, Ctrl-C and the best "
                      "evaluation yet "
                      "write one anyway."),
                every_updates(),
                whole("keep", 3, "[1,1000000]", "How many of the newest are kept, besides the best."),
                flag("buffer", true,
                     "Whether the buffer's frames are in it. Without them a resumed run is not the same run."),
            }};
}

}  // namespace

std::vector<TableSchema> of_run() {
    return {run(), plugins(), pins(), isolation_table()};
}

std::vector<TableSchema> of_records() {
    return {eval(), eval_env(), eval_transforms(), log(), checkpoint()};
}

}  // namespace tenon::tables
