// SPDX-License-Identifier: Apache-2.0
// Tables about learning: rounds of updates, the buffer, objectives, optimisers, targets, schedules.
#include <algorithm>
#include <utility>

#include "manifest/table_keys.hpp"

namespace tenon::tables {
namespace {

TableSchema train() {
    return {
        .name = "train",
        .heading = "[train]",
        .help =
            "The alternation of collecting and updating. With a `[buffer]` each round makes some updates on "
            "minibatches "
            "that the buffer chooses. Without one each round learns from the batch that it has collected, in `epochs` "
            "passes, and drops it.",
        .component = false,
        .keys = {
            optional(whole("total_updates", 1, "[1,1e15]",
                           "Learns without collecting, from the frames of `buffer.init`, and ends after so many "
                           "updates; evaluations, records and checkpoints then go by `every_updates`.")),
            whole("batch", 256, "[1,2147483647]",
                  "Frames collected before each round of updates, summed over the lanes: a multiple of `env.lanes`."),
            optional(whole("episodes", 1, "[1,2147483647]",
                           "In place of `batch`: whole episodes in each round, equally many of every lane, which all "
                           "begin anew with the round. A lane that is through plays on until the others are; these "
                           "frames count and are not learnt from. The env must have a limit of steps. Only without a "
                           "`[buffer]`, for single frames (`shuffle`).")),
            whole("minibatch", 64, "[1,2147483647]",
                  "Rows in one minibatch. Without a `[buffer]` the last one of an epoch has what is left over."),
            whole("accumulate", 1, "[1,1000000]",
                  "Minibatches in one update: its step goes by the mean of their gradients. Without a `[buffer]` the "
                  "last update of an epoch has the minibatches that are left over."),
            whole("burn_in", 0, "[0,2147483647]",
                  "Steps at the start of each sequence that only bring the networks' memories up to date: their losses "
                  "do not count, and no gradient goes back to them. Fewer than a sequence has."),
            optional(whole("epochs", 1, "[1,1000000]",
                           "Passes over each batch; 1 if not given. Only without a `[buffer]`.")),
            optional(choice("shuffle", {"frames", "lanes", "slices"}, "frames",
                            "What an epoch deals out to minibatches, each once, in an order of its own: single frames "
                            "(if not given), the whole batch of a lane, or slices of it. Lanes and slices are "
                            "sequences, [time, lane], and count with all their rows. Only without a `[buffer]`.")),
            optional(whole("slice_length", 1, "[1,2147483647]",
                           "Steps in a slice, for `shuffle = \"slices\"`; they make up a lane's part of the batch.")),
            optional(choice("prepare", {"batch", "epoch"}, "batch",
                            "When an objective prepares a batch (computes advantages, say): once (if not given), or "
                            "again before each epoch. Only without a `[buffer]`.")),
            optional(whole("updates_per_batch", 1, "[1,1000000]",
                           "Updates in one round; 1 if neither this nor `updates_per_frame` is given. Only with a "
                           "`[buffer]`.")),
            optional(real("updates_per_frame", 1, "(0,1000]",
                          "Updates for every frame collected after `start_frames`. At most one of the two may be "
                          "given. Only with a `[buffer]`.")),
            whole("start_frames", 0, kFrames,
                  "Frames collected with random actions before the first update. Only with a `[buffer]`."),
            optional(real("clip_norm", 1, "(0,inf)",
                          "The largest norm of a stage's gradient; longer ones are scaled down to it.")),
            choice("on_not_finite", {"stop", "leave_out"}, "stop",
                   "What becomes of a minibatch whose losses or gradients are not finite: it ends the run, or it is "
                   "left out. An update that has no other minibatch then changes nothing."),
        }};
}

TableSchema buffer() {
    return {
        .name = "buffer",
        .heading = "[buffer]",
        .help =
            "Keeps frames and chooses those that each update sees. Without this table an objective learns from each "
            "batch of `[train]` once it is collected.",
        .component = true,
        .keys = {
            plugin(),
            whole("capacity", 100000, "[1,1e12]", "Frames kept, summed over the lanes: two for each lane at least."),
            text("init", "",
                 "The frames that it begins with: a file (of `tenon record`, say), a run folder, whose newest "
                 "checkpoint's "
                 "buffer is taken, or the folder of a checkpoint. They come from as many lanes, and are no more than "
                 "`capacity`. Relative ones count from the manifest's folder. Empty: none."),
        }};
}

TableSchema objective() {
    return {
        .name = "objective",
        .heading = "[objective] or [[objective]]",
        .help =
            "What is learnt. Without this table frames are collected and nothing is learnt. A list is allowed; this "
            "version trains one objective.",
        .component = true,
        .keys = {plugin()}};
}

Keys optimiser_keys() {
    return {
        choice("kind", {"adam", "adamw", "sgd", "rmsprop"}, "adam",
               "The algorithm, as torch.optim has it. A key that its kind does not have is an error."),
        live(real("lr", 3e-4, "[0,inf)", "The learning rate.")),
        live(
            real("weight_decay", 0, "[0,inf)",
                 "How strongly parameters are drawn to 0, all that are trained, biases too: a penalty in the gradient; "
                 "of `adamw` a shrinking by `lr * weight_decay` a step, and 0.01 if not given.")),
        live(real("beta1", 0.9, "[0,1)", "`adam`, `adamw`: decay of the mean of gradients.")),
        live(real("beta2", 0.999, "[0,1)", "`adam`, `adamw`: decay of the mean of squared gradients.")),
        live(real("eps", 1e-8, "(0,inf)", "`adam`, `adamw`, `rmsprop`: added to the denominator.")),
        live(real("alpha", 0.99, "[0,1)", "`rmsprop`: decay of the mean of squared gradients.")),
        live(real("momentum", 0, "[0,1]", "`sgd`, `rmsprop`: the part of the step before that is taken again.")),
        live(real("dampening", 0, "[0,1]", "`sgd`: the part of a gradient that momentum leaves out.")),
        flag("nesterov", false, "`sgd`: looks ahead along the momentum; needs one, and no dampening."),
        flag("centered", false, "`rmsprop`: divides by the standard deviation of gradients, not their norm."),
    };
}

TableSchema optimiser() {
    return {.name = "optimiser",
            .heading = "[optimiser]",
            .help = "How parameters follow gradients.",
            .component = false,
            .keys = optimiser_keys()};
}

TableSchema optimiser_stage() {
    Keys keys = optimiser_keys();
    std::transform(keys.begin(), keys.end(), keys.begin(), optional);
    keys.push_back(optional(real("clip_norm", 1, "(0,inf]", "The stage's own `train.clip_norm`; `inf`: none.")));
    return {.name = "optimiser.STAGE",
            .heading = "[optimiser.STAGE]",
            .help =
                "The same for one stage of the objective. What is not given here is as in `[optimiser]`, schedules of "
                "it included, as far as the kind of this one has it.",
            .component = false,
            .keys = std::move(keys)};
}

TableSchema target() {
    return {.name = "target",
            .heading = "[target]",
            .help = "How target networks follow the live ones, where the objective reads any.",
            .component = false,
            .keys = {
                choice("kind", {"soft", "hard"}, "hard", "`hard` copies, `soft` moves by the fraction `tau`."),
                live(real("tau", 0.005, "(0,1]", "The fraction of a soft move; a hard one has none.")),
                optional(whole("every", 1, "[1,1000000000]",
                               "Updates from one copy or move to the next; 1000 for hard, 1 for soft if not given.")),
            }};
}

TableSchema schedule() {
    return {
        .name = "schedule",
        .heading = "[schedule]",
        .help =
            "Numeric options that change during the run. A key is the path of a live option, such as "
            "`exploration.epsilon` or `optimiser.lr`; a value is an inline table of the following keys, or a list "
            "of such pieces, which follow one another:\n\n"
            "    [schedule]\n"
            "    \"exploration.epsilon\" = { from = 1.0, to = 0.05, fraction = 0.2 }\n"
            "    \"optimiser.lr\" = [{ from = 0.0, to = 1e-3, frames = 10000 }, { kind = \"cosine\", to = 0.0 }]\n\n"
            "A piece ends by one of `frames`, `updates` and `fraction`, all counted from the beginning of the run; "
            "the last one without any of them ends with the run. After the last end the value stays. Both ends of "
            "every piece must be in the option's range. The values are recorded as `schedule/PATH`, those of "
            "`optimiser.lr` and `exploration.epsilon` as `train/learning_rate` and `rollout/exploration_rate`.",
        .component = false,
        .keys = {
            choice("kind", {"linear", "cosine", "exponential", "step", "constant"}, "linear",
                   "How the value moves: evenly, along half a cosine, by the same factor in the same time, by "
                   "`factor` every so often, not at all."),
            optional(real("from", 0, "(-inf,inf)",
                          "The value at the start; if not given, where the piece before ends, and for the first "
                          "piece what the option is in its own table.")),
            optional(real("to", 0, "(-inf,inf)", "The value at the end; `step` and `constant` have none.")),
            optional(real("factor", 1, "(0,inf)", "`step`: what each step multiplies the value by.")),
            optional(
                whole("every", 1, "[1,1e15]", "`step`: frames from one step to the next, updates if it ends by them.")),
            optional(whole("frames", 1, "[1,1e15]", "Ends after so many frames.")),
            optional(whole("updates", 1, "[1,1e15]", "Ends after so many updates.")),
            optional(real("fraction", 1, "(0,1]",
                          "Ends after this part of `run.total_frames`, or of `train.total_updates`; it grows when a "
                          "run is extended.")),
        }};
}

}  // namespace

std::vector<TableSchema> of_learning() {
    return {train(), buffer(), objective(), optimiser(), optimiser_stage(), target(), schedule()};
}

}  // namespace tenon::tables
