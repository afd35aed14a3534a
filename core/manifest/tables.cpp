// SPDX-License-Identifier: Apache-2.0
#include "manifest/tables.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

namespace tenon {
namespace {

constexpr const char* kFrames = "[0,1e15]";

using Keys = std::vector<OptionSchema>;

OptionSchema key(std::string name, OptionType type, OptionValue standard, std::string range, std::string help) {
    return {.name = std::move(name),
            .type = type,
            .standard = std::move(standard),
            .range = std::move(range),
            .choices = {},
            .live = false,
            .help = std::move(help),
            .optional = false};
}

OptionSchema flag(std::string name, bool standard, std::string help) {
    return key(std::move(name), OptionType::kBool, standard, {}, std::move(help));
}

OptionSchema whole(std::string name, std::int64_t standard, std::string range, std::string help) {
    return key(std::move(name), OptionType::kInt, standard, std::move(range), std::move(help));
}

OptionSchema real(std::string name, double standard, std::string range, std::string help) {
    return key(std::move(name), OptionType::kFloat, standard, std::move(range), std::move(help));
}

OptionSchema text(std::string name, std::string standard, std::string help) {
    return key(std::move(name), OptionType::kString, std::move(standard), {}, std::move(help));
}

OptionSchema texts(std::string name, std::string help) {
    return key(std::move(name), OptionType::kStrings, std::vector<std::string>{}, {}, std::move(help));
}

OptionSchema choice(std::string name, std::vector<std::string> choices, std::string standard, std::string help) {
    OptionSchema out = text(std::move(name), std::move(standard), std::move(help));
    out.choices = std::move(choices);
    return out;
}

OptionSchema live(OptionSchema schema) {
    schema.live = true;
    return schema;
}

OptionSchema required(OptionSchema schema) {
    schema.standard.reset();
    return schema;
}

OptionSchema optional(OptionSchema schema) {
    schema.standard.reset();
    schema.optional = true;
    return schema;
}

OptionSchema every_updates() {
    return optional(whole("every_updates", 0, "[0,1e15]",
                          "The same in updates, for a run with `train.total_updates`, and by default as many."));
}

OptionSchema plugin() {
    return required(text("plugin", {}, "The component, as \"library/component\"."));
}

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
            whole("threads", 1, "[1,1024]", "Threads that step lanes. Their number never changes a result."),
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
        .help = "Where plugins are looked for.",
        .component = false,
        .keys = {
            texts("search",
                  "Folders to look in, before those of `TENON_PLUGIN_PATH` and the program's own. Relative ones count "
                  "from the manifest's folder."),
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

TableSchema env() {
    return {.name = "env",
            .heading = "[env]",
            .help = "The environment. This table must be there.",
            .component = true,
            .keys = {
                plugin(),
                whole("lanes", 1, "[1,65536]", "How many copies are stepped side by side."),
            }};
}

TableSchema transforms() {
    return {.name = "env.transforms",
            .heading = "[[env.transforms]]",
            .help = "What stands between the environment and its readers; the first is nearest to the environment.",
            .component = true,
            .keys = {plugin()}};
}

TableSchema policy() {
    return {
        .name = "policy.NAME",
        .heading = "[policy.NAME]",
        .help =
            "A network or another policy. NAME is the role by which others call it; the first one whose outputs "
            "contain the action acts. There must be at least one.",
        .component = true,
        .keys = {
            plugin(),
            whole("count", 1, "[1,1024]", "How many members; more than 1 makes an ensemble."),
            text("init", "",
                 "Where its parameters begin: a safetensors file, or a run folder, whose newest checkpoint is taken. "
                 "Relative ones count from the manifest's folder. Empty: drawn at random."),
            flag("freeze", false, "Keeps its parameters as they begin."),
            texts("out",
                  "Columns that other networks read of it, of its functions without inputs in their order: a trunk "
                  "whose out is [\"hidden\"] serves networks whose in is [\"hidden\"]. Empty: NAME.FUNCTION."),
            text("stage", "",
                 "The objective's stage that trains it, where none owns it by its role: a trunk that the critics "
                 "train. Empty: a stage that owns whatever it reaches."),
        }};
}

TableSchema exploration() {
    return {.name = "exploration",
            .heading = "[exploration]",
            .help =
                "Changes the actions while data is collected, not in evaluations. Without this table they are what "
                "the policy samples.",
            .component = true,
            .keys = {plugin()}};
}

TableSchema parameter_noise() {
    return {
        .name = "parameter_noise",
        .heading = "[parameter_noise]",
        .help =
            "Collects with normal noise on the parameters of the networks that act (Plappert et al. 2018), not in "
            "evaluations. Without this table there is none. Schedules move `parameter_noise.sigma` and "
            "`parameter_noise.target`.",
        .component = false,
        .keys = {
            live(real("sigma", 0.1, "(0,inf)",
                      "Standard deviation of the noise on each parameter, or where it begins.")),
            live(real("target", 0.1, "[0,inf)",
                      "How far it is to move actions, to which sigma adapts: the root of the mean square, in halves "
                      "of the range between their bounds, or the share of choices that are others. 0: sigma stays.")),
            real("factor", 1.01, "(1,inf)", "What sigma grows or shrinks by at each draw."),
            whole("every_frames", 0, "[0,1e15]",
                  "Frames after which it is drawn again, at the next round; 0: in each round."),
        }};
}

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
            .keys = {plugin()}};
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

std::span<const TableSchema> manifest_tables() {
    static const std::vector<TableSchema> kTables = {run(),
                                                     plugins(),
                                                     pins(),
                                                     env(),
                                                     transforms(),
                                                     policy(),
                                                     exploration(),
                                                     parameter_noise(),
                                                     train(),
                                                     buffer(),
                                                     objective(),
                                                     optimiser(),
                                                     optimiser_stage(),
                                                     target(),
                                                     schedule(),
                                                     eval(),
                                                     eval_env(),
                                                     eval_transforms(),
                                                     log(),
                                                     checkpoint()};
    return kTables;
}

const TableSchema& table_schema(std::string_view name) {
    const std::span<const TableSchema> tables = manifest_tables();
    const auto at =
        std::find_if(tables.begin(), tables.end(), [&](const TableSchema& table) { return table.name == name; });
    assert(at != tables.end());
    return *at;
}

std::string homes_of(std::string_view key) {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> homes;
    for (const TableSchema& schema : manifest_tables()) {
        const bool has = std::any_of(schema.keys.begin(), schema.keys.end(),
                                     [&](const OptionSchema& option) { return option.name == key; });
        const bool named =
            std::any_of(schema.name.begin(), schema.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        if (has && !named) {
            homes.push_back("[" + schema.name + "]");
        }
    }
    std::string out;
    for (std::size_t i = 0; i < homes.size() && homes.size() <= kMost; ++i) {
        out += (i == 0 ? "" : i + 1 == homes.size() ? " and " : ", ") + homes[i];
    }
    return out;
}

}  // namespace tenon
