// SPDX-License-Identifier: Apache-2.0
// Tables about acting: the env, its transforms, policies, and changes of their actions.
#include "config/manifest/table_keys.hpp"

namespace tenon::tables {
namespace {

TableSchema env() {
    return {.name = "env",
            .help = "The environment. This table is required.",
            .component = true,
            .keys = {
                plugin(),
                isolation(),
                whole("lanes", 1, "[1,65536]", "How many copies of it run side by side."),
                optional(text("task_column", {},
                              "Name of an observation that says which of `[[env.tasks]]` a lane has, a category from 0 "
                              "on. Without it there is none.")),
            }};
}

TableSchema tasks() {
    return {
        .name = "env.tasks",
        .heading = "[[env.tasks]]",
        .help =
            "Tasks that share the lanes of the environment: in some lanes it has other options, or it is another "
            "component. The keys of `[env]` hold for every task of the same component, unless the task gives its "
            "own. All tasks must have the same columns; only bounds of observations may differ. Evaluations play "
            "all tasks, and have metrics of each (`eval/NAME/mean_reward`) besides those of all episodes.",
        .component = true,
        .keys = {
            optional(text("plugin", {}, "The component, as \"library/component\"; that of `[env]` by default.")),
            isolation(),
            optional(text("name", {}, "Its name in metrics; by default its number, from 0 on.")),
            optional(whole("lanes", 1, "[1,65536]",
                           "Its number of lanes in training. Tasks without this key share the other lanes evenly.")),
        }};
}

TableSchema wrappers() {
    return {
        .name = "env.wrappers",
        .heading = "[[env.wrappers]]",
        .help =
            "Wrappers step the environment in place of the policy: frame skip, no-op reset, macro actions. The first "
            "is nearest to the environment, and all of them are nearer than transforms. A frame is one step of the "
            "outermost wrapper. Wrappers run in the host's process.",
        .component = true,
        .keys = {plugin()}};
}

TableSchema transforms() {
    return {.name = "env.transforms",
            .heading = "[[env.transforms]]",
            .help =
                "Transforms between the environment and its readers; the first is nearest to the environment. Returns "
                "of training and evaluations are sums of the rewards before transforms and after wrappers.",
            .component = true,
            .keys = {plugin(), isolation()}};
}

TableSchema policy() {
    return {
        .name = "policy.NAME",
        .help =
            "A network or another policy. NAME is the role by which other plugins call it. The first one whose "
            "outputs contain the action acts; if groups of agents have actions, the first one of each group. At least "
            "one is required.",
        .component = true,
        .keys = {
            plugin(),
            isolation(),
            whole("count", 1, "[1,1024]", "Number of members; more than 1 makes an ensemble."),
            text("init", "",
                 "Initial parameters: a safetensors file, or a run folder, whose newest checkpoint is used. "
                 "If it has a single network, that one may have another name. Empty: initialised at random."),
            text("init_role", "",
                 "The network of `init` whose parameters it takes: an opponent begins with those of another run's "
                 "`actor`. Empty: the one of its own name, or the only one."),
            flag("freeze", false, "Does not train its parameters."),
            texts("out",
                  "Names of its outputs as columns that other networks read, one for each of its functions without "
                  "inputs, in their order: a trunk whose out is [\"hidden\"] feeds networks whose in is "
                  "[\"hidden\"]. Empty: NAME.FUNCTION."),
            text("stage", "",
                 "The objective's stage that trains it, if no stage owns it by its role: for example a trunk that "
                 "the critics train. Empty: a stage that owns every network that it reaches."),
            group("The group of agents that it is for, such as \"agents\". It then reads the column "
                  "`agents.observation` as `observation`, for each agent, and its action is `agents.action`. Empty: "
                  "it sees columns of groups as the environment gives them, with one more size."),
            choice("weights", {"shared", "own"}, "shared",
                   "Whether all agents of the group have the same parameters, or each agent has its own."),
        }};
}

TableSchema reference() {
    return {.name = "policy.NAME.reference",
            .help =
                "When the reference of the network is copied from its parameters, if an objective reads one. Without "
                "this table it keeps those that the run started with, at random or from `init`.",
            .keys = {
                whole("every", 0, "[0,1000000000]",
                      "Updates of the network between two copies; 0: it keeps those that the run started with."),
            }};
}

TableSchema collector() {
    return {
        .name = "collector",
        .help = "How frames are collected.",
        .keys = {
            choice("kind", {"sync", "async", "pool", "processes"}, "sync",
                   "`sync`: a round collects its frames, then it learns. `async`: another thread collects the frames "
                   "of a round while its updates learn from the frames before them; what acts are the parameters "
                   "with which the round began. For objectives that learn from a buffer. `pool`: lanes that are ready "
                   "make their next step while others still make theirs, for an env that answers later "
                   "([collecting.md](../collecting.md#a-pool-of-lanes)). `processes`: as `async`, but worker processes "
                   "collect, each with a share of the lanes and the policy "
                   "([collecting.md](../collecting.md#in-worker-processes))."),
            whole("lag", 0, "[0,1000]",
                  "Rounds by which acting lags behind learning: the parameters that act are those with which "
                  "the round so many rounds earlier began. Evaluations play with the newest ones."),
            optional(
                whole("max_lag", 1, "[1,1000000000]",
                      "With `async` and `processes`: how many updates the parameters that act may be older than the "
                      "newest ones. A "
                      "round with more updates is made in parts, after each of which the parameters that act are "
                      "the newest again ([collecting.md](../collecting.md#how-old-the-policy-may-be)). Without this "
                      "key: as many as a round has.")),
            optional(whole("ready", 1, "[1,1048576]",
                           "With `pool`: as soon as so many lanes are ready, all that are ready act. Without this key: "
                           "half of the lanes.")),
            optional(whole("workers", 1, "[1,1024]",
                           "With `processes`: how many worker processes share the lanes, the same number each. Without "
                           "this key: 2, or 1 if the number of lanes is odd.")),
            texts(
                "via",
                "With `processes`: commands that start the workers on other machines, such as `\"ssh node7\"`; one "
                "worker by "
                "each in turn, and one that is lost by the next ([scale.md](../scale.md#workers-on-other-machines))."),
            optional(text("record", {},
                          "Where to write the episodes that training collects, when the run ends: a file that ends in "
                          "`.frames`, or a folder without an ending for a dataset, such as Minari's "
                          "([record.md](../record.md#while-training)). The path must not exist.")),
        }};
}

TableSchema exploration() {
    return {.name = "exploration",
            .heading = "[exploration] or [exploration.GROUP]",
            .help =
                "Changes the actions while data is collected, but not in evaluations. Without this table actions are "
                "samples of the policy. If the policies of several groups act, `[exploration.GROUP]` is that of one "
                "group.",
            .component = true,
            .keys = {plugin()}};
}

TableSchema parameter_noise() {
    return {.name = "parameter_noise",
            .help =
                "Collects with normal noise on the parameters of the acting networks (Plappert et al. 2018), but not "
                "in evaluations. Without this table there is none. Schedules can change `parameter_noise.sigma` and "
                "`parameter_noise.target`.",
            .keys = {
                live(real("sigma", 0.1, "(0,inf)",
                          "Standard deviation of the noise on each parameter; its initial value if it adapts.")),
                live(real("target", 0.1, "[0,inf)",
                          "How far the noise should change actions; sigma adapts to it. Continuous actions: the root "
                          "mean square change, in halves of the range between their bounds. Choices: the share that "
                          "changes. 0: sigma does not adapt.")),
                real("factor", 1.01, "(1,inf)", "Factor by which sigma grows or shrinks at each draw."),
                whole("every_frames", 0, "[0,1e15]",
                      "Frames between draws, which happen at the start of a round; 0: in each round."),
            }};
}

}  // namespace

std::vector<TableSchema> of_acting() {
    return {env(),       tasks(),       wrappers(),        transforms(), policy(),
            reference(), exploration(), parameter_noise(), collector()};
}

}  // namespace tenon::tables
