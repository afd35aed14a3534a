// SPDX-License-Identifier: Apache-2.0
// Tables about learning: rounds of updates, the buffer, objectives, optimisers, targets, schedules.
#include <algorithm>
#include <utility>

#include "config/manifest/table_keys.hpp"

namespace tenon::tables {
namespace {

TableSchema train() {
    return {
        .name = "train",
        .help =
            "Rounds of collecting and updating. With a `[buffer]` each round makes updates on minibatches that the "
            "buffer samples. Without one each round learns from the batch that it has collected, in `epochs` passes, "
            "and then drops it.",
        .keys = {
            optional(whole("total_updates", 1, "[1,1e15]",
                           "Learns without collecting, from the frames of `buffer.init`, for this number of updates. "
                           "Evaluations, records and checkpoints are then timed by `every_updates`.")),
            whole("batch", 256, "[1,2147483647]",
                  "Frames collected before each round of updates, summed over the lanes; a multiple of `env.lanes`."),
            optional(whole("episodes", 1, "[1,2147483647]",
                           "Instead of `batch`: whole episodes per round, the same number in each lane. Every lane is "
                           "reset at the start of a round. Finished lanes keep stepping until all have finished; their "
                           "extra frames are counted but not learnt from. The env must have a limit of steps. Only "
                           "without a `[buffer]`, for single frames (`shuffle`).")),
            whole("minibatch", 64, "[1,2147483647]",
                  "Rows in one minibatch. Without a `[buffer]` the last one of an epoch has the remaining rows."),
            whole("accumulate", 1, "[1,1000000]",
                  "Minibatches per update: its step uses their mean gradient. Without a `[buffer]` the last update of "
                  "an epoch has the remaining minibatches."),
            whole("burn_in", 0, "[0,2147483647]",
                  "Burn-in: steps at the start of each sequence that only warm up the networks' memories. Their losses "
                  "do not count, and no gradient passes through them. Must be less than the length of a sequence."),
            optional(choice("initial_memory", {"stored", "zero"}, "stored",
                            "What networks that remember begin a sequence with: the memory that acting has stored at "
                            "its first step (the default), or zeros.")),
            optional(
                whole("epochs", 1, "[1,1000000]", "Passes over each batch; 1 by default. Only without a `[buffer]`.")),
            optional(choice("shuffle", {"frames", "lanes", "slices"}, "frames",
                            "What an epoch shuffles and splits into minibatches: single frames (the default), the "
                            "whole batch of a lane, or slices of it. Lanes and slices are sequences, [time, lane], and "
                            "all their rows count. Only without a `[buffer]`.")),
            optional(whole("slice_length", 1, "[1,2147483647]",
                           "Steps per slice, for `shuffle = \"slices\"`; must divide a lane's part of the batch.")),
            optional(choice("prepare", {"batch", "epoch"}, "batch",
                            "When an objective prepares a batch (for example computes advantages): once (the default), "
                            "or again before each epoch. Only without a `[buffer]`.")),
            optional(whole(
                "updates_per_batch", 1, "[1,1000000]",
                "Updates per round; 1 if neither this nor `updates_per_frame` is given. Only with a `[buffer]`.")),
            optional(
                real("updates_per_frame", 1, "(0,1000]",
                     "Updates per frame collected after `start_frames`. Do not give both. Only with a `[buffer]`.")),
            whole("start_frames", 0, kFrames,
                  "Frames collected with random actions before the first update. Only with a `[buffer]`."),
            optional(real("clip_norm", 1, "(0,inf)",
                          "Maximum norm of a stage's gradient; larger gradients are scaled down to it.")),
            choice("on_not_finite", {"stop", "leave_out"}, "stop",
                   "What happens to a minibatch whose losses or gradients are not finite: it ends the run, or it is "
                   "left out. An update without any other minibatch then changes nothing."),
        }};
}

TableSchema buffer() {
    return {
        .name = "buffer",
        .heading = "[buffer] or [buffer.NAME]",
        .help =
            "Stores frames and samples minibatches from them. Without this table an objective learns from each "
            "batch of `[train]` once it is collected. A run with several buffers names each: `[buffer.expert]`. "
            "One of them may take the frames that are collected; the others, with `collects = false`, have the "
            "frames of their `init`. A buffer may also be a mixture of others, which has no `plugin`: each "
            "minibatch then has these fractions of rows from them, in this order.\n\n"
            "    [buffer.both]\n"
            "    mix = { offline = 0.5, online = 0.5 }",
        .component = true,
        .keys = {
            plugin(),
            or_bytes(whole("capacity", 100000, "[1,1e12]",
                           "Number of frames stored, summed over the lanes; at least two per lane. Or how many bytes "
                           "they may take, as `\"2 GB\"` or `\"512 MiB\"`, final observations included.")),
            choice("storage", {"memory", "mmap", "compressed"}, "memory",
                   "Where the frames are: in memory, or in files of the folder `path`, which may be larger than the "
                   "memory and survive the run, or in memory with pictures and other large rows compressed "
                   "([buffers.md](../buffers.md))."),
            text("path", "",
                 "The folder of a buffer with `storage = \"mmap\"`. A new run makes it; with `collects = false` it is "
                 "one that another run has written."),
            choice("writer", {"ring", "keep_best", "reservoir"}, "ring",
                   "Which frames are kept once there are more than `capacity`: the newest ones, the episodes with the "
                   "largest sums of `writer_by`, or a uniform sample of all frames that have been collected "
                   "([buffers.md](../buffers.md#writers))."),
            text("writer_by", "reward",
                 "With `writer = \"keep_best\"`: the stored column, of one number per step, whose sum ranks episodes."),
            optional(flag("prefetch", false,
                          "Whether the next minibatch is chosen and gathered on another thread while an update is "
                          "made; results are the same ([buffers.md](../buffers.md#prefetch)). The default is false.")),
            choice("relabel_by", {"columns", "env"}, "columns",
                   "What gives rows with a goal from hindsight their goal, reward and end: functions that `[columns]` "
                   "names, or the env's own ([stand-ins.md](../stand-ins.md#by-the-env))."),
            text("init", "",
                 "Initial frames: a file (for example of `tenon record`), a run folder, whose newest checkpoint's "
                 "buffer is used, the folder of a checkpoint, that of a buffer on a disk, or a dataset that a plugin "
                 "reads, such as Minari's folders and D4RL's files. They must come from the same number of lanes and "
                 "fit into `capacity`. The same folder as `path`: the frames that are there. "
                 "Empty: none."),
            flag("transform_init", false,
                 "Whether `[[env.transforms]]` run over the frames of `init`, which are then as the env without them "
                 "gives "
                 "them ([record.md](../record.md#transforms-over-recorded-frames))."),
            flag("collects", true, "Whether the collected frames are stored here. Only in `[buffer.NAME]`."),
        }};
}

TableSchema sampled_transforms() {
    return {
        .name = "buffer.transforms",
        .heading = "[[buffer.transforms]]",
        .help =
            "Changes columns of the minibatches that this buffer samples, in order; stored frames, acting and "
            "evaluations are unaffected. `[[buffer.NAME.transforms]]` for a buffer with a name. A transform changes "
            "the columns of its option `column` or `columns`, which must be observations or rewards and keep their "
            "type and shape. It keeps nothing from step to step, and runs in this process. An objective's function "
            "`store` reads what is stored.",
        .component = true,
        .keys = {plugin()}};
}

TableSchema columns() {
    return {.name = "columns",
            .help =
                "Stand-ins for columns. `\"next.reward\" = \"discriminator.reward\"` is `{ of = "
                "\"discriminator.reward\" }`: wherever learning reads the column, it gets what the function of the "
                "network `[policy.discriminator]` computes from the other columns of the batch, without a gradient. "
                "Acting and returns are unaffected. The column need not be stored; if it is, the function must give "
                "values of its type, and reads what is stored as `stored.next.reward`. Functions may read columns that "
                "have stand-ins, and next. columns. `next.done` follows stand-ins for `next.terminated` and "
                "`next.truncated`.",
            .keys = {
                required(text("of", {},
                              "The network and its function, as \"NETWORK.FUNCTION\"; a function without inputs and "
                              "with one output.")),
                texts("for", "Names of the objectives that read the stand-in; empty: all."),
            }};
}

TableSchema objective() {
    return {.name = "objective",
            .heading = "[objective] or [[objective]]",
            .help =
                "What is learnt. Without this table frames are collected and nothing is learnt. Several objectives, "
                "each with a `name`, learn one after the other in each round. `batches = { expert = \"expert\" }` "
                "gives an objective, besides its own rows, as many rows of another buffer, whose columns are under "
                "`expert.`. `networks = { actor = \"hunters\" }` gives it the network `hunters` where it calls the "
                "role `actor`, so that two objectives of one kind train different networks.",
            .component = true,
            .keys = {
                plugin(),
                optional(text("name", {},
                              "Its name in metrics, in `[optimiser.NAME]` and in messages. Required if "
                              "there are several.")),
                optional(text("buffer", {},
                              "The buffer that its rows come from. The default is the buffer that collects; without "
                              "one it is the collected batch.")),
                whole("every", 1, "[1,1e15]", "Learns in the first of so many rounds; 1: in every round."),
                optional(whole("minibatch", 1, "[1,2147483647]", "Instead of `train.minibatch`.")),
                optional(whole("epochs", 1, "[1,1000000]", "Instead of `train.epochs`.")),
                optional(whole("updates_per_batch", 1, "[1,1000000]", "Instead of `train.updates_per_batch`.")),
                optional(real("updates_per_frame", 1, "(0,1000]", "Instead of `train.updates_per_frame`.")),
                group("The group of agents that it is for, such as \"agents\". It then reads the columns of the "
                      "group, such as `agents.action` as `action`, for each agent, and its loss is the mean over "
                      "agents. Other columns, such as a `reward` of all agents together, are read as they are."),
            }};
}

Keys optimiser_keys() {
    return {
        choice("kind", {"adam", "adamw", "sgd", "rmsprop", "lamb"}, "adam",
               "The algorithm, as in torch.optim; `lamb`, as in timm, scales the step of each parameter to its norm. A "
               "key that its kind does not have is an error."),
        live(real("lr", 3e-4, "[0,inf)", "The learning rate.")),
        live(real(
            "weight_decay", 0, "[0,inf)",
            "Weight decay of all trained parameters, biases too: a penalty in the gradient; for `adamw` a "
            "shrinking by `lr * weight_decay` per step, for `lamb` a part of the step that is scaled, both 0.01 by "
            "default.")),
        live(real("beta1", 0.9, "[0,1)", "`adam`, `adamw`, `lamb`: decay of the mean of gradients.")),
        live(real("beta2", 0.999, "[0,1)", "`adam`, `adamw`, `lamb`: decay of the mean of squared gradients.")),
        live(real("eps", 1e-8, "(0,inf)",
                  "`adam`, `adamw`, `rmsprop`, `lamb`: added to the denominator; 1e-6 by default for `lamb`.")),
        live(real("alpha", 0.99, "[0,1)", "`rmsprop`: decay of the mean of squared gradients.")),
        live(real("momentum", 0, "[0,1]", "`sgd`, `rmsprop`: factor of the previous step that is added to the next.")),
        live(real("dampening", 0, "[0,1]", "`sgd`: fraction of a gradient that is not added to the momentum.")),
        flag("nesterov", false, "`sgd`: Nesterov momentum; needs a momentum above 0 and no dampening."),
        flag("centered", false, "`rmsprop`: divides by the standard deviation of gradients, not their norm."),
    };
}

TableSchema optimiser() {
    return {.name = "optimiser", .help = "How gradients change parameters.", .keys = optimiser_keys()};
}

TableSchema optimiser_stage() {
    Keys keys = optimiser_keys();
    std::transform(keys.begin(), keys.end(), keys.begin(), optional);
    keys.push_back(optional(real("clip_norm", 1, "(0,inf]", "`train.clip_norm` for this stage; `inf`: none.")));
    return {.name = "optimiser.STAGE",
            .help =
                "The same for one stage of the objective. Keys that are not given are as in `[optimiser]`, with their "
                "schedules, if the kind of this one has them.",
            .keys = std::move(keys)};
}

TableSchema target() {
    return {.name = "target",
            .help = "How target networks follow the live ones, if the objective reads any.",
            .keys = {
                choice("kind", {"soft", "hard"}, "hard", "`hard` copies, `soft` moves them by the fraction `tau`."),
                live(real("tau", 0.005, "(0,1]", "The fraction of a soft update; `hard` has none.")),
                optional(whole("every", 1, "[1,1000000000]",
                               "Updates between two copies or moves; the default is 1000 for hard and 1 for soft.")),
            }};
}

TableSchema hooks() {
    return {.name = "hooks",
            .heading = "[[hooks]]",
            .help =
                "Plugins that the run calls at certain points: when it starts, when the frames of a round are "
                "collected, after updates, evaluations and checkpoints, and at its end. They read metrics and frames, "
                "record metrics of their own (`hook/METRIC`, or `hook/NAME/METRIC`), and may move live options, "
                "recorded as `live/PATH`, or end the run. Hooks run in the host's process.",
            .component = true,
            .keys = {
                plugin(),
                optional(text("name", {}, "Its name in metrics; needed where two hooks have a metric of one name.")),
            }};
}

TableSchema schedule() {
    return {
        .name = "schedule",
        .help =
            "Numeric options that change during the run. A key is the path of a live option, such as "
            "`exploration.epsilon` or `optimiser.lr`; a value is an inline table of the following keys, or a list "
            "of such pieces, one after the other:\n\n"
            "    [schedule]\n"
            "    \"exploration.epsilon\" = { from = 1.0, to = 0.05, fraction = 0.2 }\n"
            "    \"optimiser.lr\" = [{ from = 0.0, to = 1e-3, frames = 10000 }, { kind = \"cosine\", to = 0.0 }]\n\n"
            "The end of a piece is one of `frames`, `updates` and `fraction`, counted from the start of the run; "
            "without any of them the last piece ends with the run. After the last end the value stays. Both ends of "
            "every piece must be in the option's range. The values are recorded as `schedule/PATH`, those of "
            "`optimiser.lr` and `exploration.epsilon` as `train/learning_rate` and `rollout/exploration_rate`.",
        .keys = {
            choice("kind", {"linear", "cosine", "exponential", "step", "constant"}, "linear",
                   "How the value changes: evenly, along half a cosine, exponentially, by `factor` every `every`, not "
                   "at all."),
            optional(real("from", 0, "(-inf,inf)",
                          "The value at the start. Default: the end of the previous piece; for the first piece the "
                          "option's value in its own table.")),
            optional(real("to", 0, "(-inf,inf)", "The value at the end; `step` and `constant` have none.")),
            optional(real("factor", 1, "(0,inf)", "`step`: factor of each step.")),
            optional(whole("every", 1, "[1,1e15]",
                           "`step`: frames between two steps, or updates if the piece ends by updates.")),
            optional(whole("frames", 1, "[1,1e15]", "Ends after this number of frames.")),
            optional(whole("updates", 1, "[1,1e15]", "Ends after this number of updates.")),
            optional(real("fraction", 1, "(0,1]",
                          "Ends after this fraction of `run.total_frames` or `train.total_updates`; it moves when a "
                          "run is extended.")),
        }};
}

}  // namespace

std::vector<TableSchema> of_learning() {
    return {train(), buffer(),  sampled_transforms(), columns(), objective(), optimiser(), optimiser_stage(), target(),
            hooks(), schedule()};
}

}  // namespace tenon::tables
