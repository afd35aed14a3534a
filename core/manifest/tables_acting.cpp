// SPDX-License-Identifier: Apache-2.0
// Tables about acting: the env, its transforms, policies, and changes of their actions.
#include "manifest/table_keys.hpp"

namespace tenon::tables {
namespace {

TableSchema env() {
    return {.name = "env",
            .heading = "[env]",
            .help = "The environment. This table must be there.",
            .component = true,
            .keys = {
                plugin(),
                isolation(),
                whole("lanes", 1, "[1,65536]", "How many copies are stepped side by side."),
            }};
}

TableSchema transforms() {
    return {.name = "env.transforms",
            .heading = "[[env.transforms]]",
            .help =
                "What stands between the environment and its readers; the first is nearest to the environment. "
                "Returns, of training and of evaluations, are sums of the rewards before transforms.",
            .component = true,
            .keys = {plugin(), isolation()}};
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
            isolation(),
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

}  // namespace

std::vector<TableSchema> of_acting() {
    return {env(), transforms(), policy(), exploration(), parameter_noise()};
}

}  // namespace tenon::tables
