# SPDX-License-Identifier: Apache-2.0
"""What the generators of objectives that learn from collected batches share."""

import torch
from peer import Case
from torchrl.objectives import ValueEstimators
from torchrl.objectives.value import functional

ACTIONS = 4
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]


def update_case(name, objective, seed, head="categorical", mask=False, **options):
    """A case whose batch has been prepared: advantages, targets of values, log-probabilities of the policy that acted.
    A tanh-normal has no exact entropy."""
    if head == "tanh_normal":
        options["entropy"] = "sampled"
    case = Case(name, objective, seed, rows=11, **options)
    actor = {"composite": lambda: case.composite(3, ACTIONS, 2), "categorical": lambda: case.categorical(3, ACTIONS), "tanh_normal": lambda: case.tanh_normal(3, LOW, HIGH),
             "normal": lambda: case.unbounded_normal(3, 2),
             "free_normal": lambda: case.unbounded_normal(3, 2, scale="free")}[head]()
    critic = case.value(3)
    td = case.transitions()
    if head == "categorical":
        case.categorical_action(ACTIONS)
    elif head == "tanh_normal":
        case.bounded_action(LOW, HIGH)
    elif head == "composite":
        case.column("action.move", f"categorical {ACTIONS}", torch.randint(ACTIONS, (case.rows,), generator=case.generator))
        case.column("action.push", "unbounded 2", case.normal(case.rows, 2))
    else:
        case.column("action", "unbounded 2", case.normal(case.rows, 2))
    advantage = case.normal(case.rows, 1)
    case.column("advantage", "unbounded", advantage)
    with torch.no_grad():
        # it differs a little from the one that learns: some ratios leave a clip's range, others do not
        log_prob = actor.get_dist(td).log_prob(td if head == "composite" else td["action"]) + 0.2 * case.normal(case.rows)
        td["state_value"] = critic(td.clone())["state_value"] + 0.3 * case.normal(case.rows, 1)
    case.column("log_prob", "unbounded", log_prob)
    td["action_log_prob"] = td["sample_log_prob"] = log_prob  # the second where there are several heads
    # ours takes the value of that time to be target - advantage, which is what GAE makes of it, unless the batch has it
    case.column("value_target", "unbounded", td["state_value"] + advantage)
    if options.get("normalise_over") == "batch" and options.get("clip_value"):
        case.replace("value_target", td["state_value"] + 1.7 * advantage + 0.4)
        case.column("value_before", "unbounded", td["state_value"])
    if mask:
        case.mask(0.6)
    return case, actor, critic, td


def losses(case, loss, td, objective, head):
    """TorchRL's terms; its sampled entropy of a tanh-normal is of our draw."""
    case.begin(loss)
    with case.draws(*[f"{objective}.update/actor.sample/random_normal"] * (head == "tanh_normal")):
        return loss(td)


def finish_update(case, loss, out):
    case.finish(loss, {"update": ({"policy": out["loss_objective"], "value": out["loss_critic"],
                                   "entropy": out["loss_entropy"]}, ["actor", "value"])})


def prepare_case(name, objective, seed, steps, lanes, **options):
    """A case of a collected batch, not prepared yet: our rows are time first."""
    case = Case(name, objective, seed, rows=steps * lanes, **options)
    actor, critic = case.categorical(3, ACTIONS), case.value(3)
    td = case.choices(ACTIONS)
    return case, actor, critic, td


def explained_variance(case, value, target):
    """As TorchRL's losses report it of a batch."""
    case.list("metric explained_variance", 1 - (target - value).var() / target.var())


def finish_prepare(case, loss, steps, lanes, keeps_value=False):
    """Expects what TorchRL's estimator makes of the batch, which is [lanes, time] there. With `keeps_value` also the
    values that it starts from."""
    batch = case.td.reshape(steps, lanes).transpose(0, 1).contiguous()
    loss.value_estimator(batch, params=loss.critic_network_params.detach(), target_params=loss.critic_network_params)
    case.list("written advantage", batch["advantage"].transpose(0, 1))
    case.list("written value_target", batch["value_target"].transpose(0, 1))
    explained_variance(case, batch["state_value"], batch["value_target"])
    if keeps_value:
        case.list("written value_before", batch["state_value"].transpose(0, 1))
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])


KINDS = {"gae": ValueEstimators.GAE, "td_lambda": ValueEstimators.TDLambda, "td0": ValueEstimators.TD0,
         "mc": ValueEstimators.TD1}  # fmt: skip


def prepare_by(estimator, name, objective, of, seed, steps, lanes, gamma, lmbda=None, whole=False, clip_value=0.0):
    """Advantages by an estimator of a TorchRL loss. `whole`: normalised over the batch."""
    hyper, options = {"gamma": gamma}, {"gamma": gamma, "estimator": estimator}
    if lmbda is not None:
        hyper["lmbda"] = options["lambda_"] = lmbda
    if whole:
        hyper["average_gae"] = options["normalise_advantage"] = True
        options["normalise_over"] = "batch"
    if clip_value > 0:
        options["clip_value"] = clip_value
    case, actor, critic, _ = prepare_case(name, objective, seed, steps, lanes, **options)
    loss = of(actor, critic)
    loss.make_value_estimator(KINDS[estimator], **hyper)
    case.begin(loss)
    finish_prepare(case, loss, steps, lanes, keeps_value=whole and clip_value > 0)


def prepare_all(objective, of):
    """A case of each estimator but that of the objective's default."""
    prepare_by("td_lambda", "prepare_td_lambda", objective, of, 30, 9, 3, 0.97, 0.8)
    prepare_by("td0", "prepare_td0", objective, of, 31, 9, 3, 0.97)
    prepare_by("mc", "prepare_mc", objective, of, 32, 9, 3, 0.97)
    prepare_by("gae", "prepare_whole", objective, of, 33, 9, 3, 0.97, 0.9, whole=True)
    prepare_vtrace("prepare_vtrace", objective, of, 34, 9, 3, 0.97, 1.1, 0.9)


def prepare_gae(name, objective, of, seed, steps, lanes, gamma, lmbda):
    """By the default of an objective, GAE."""
    case, actor, critic, _ = prepare_case(name, objective, seed, steps, lanes, gamma=gamma, lambda_=lmbda)
    loss = of(actor, critic)
    loss.make_value_estimator(gamma=gamma, lmbda=lmbda)
    case.begin(loss)
    finish_prepare(case, loss, steps, lanes)


def prepare_vtrace(name, objective, of, seed, steps, lanes, gamma, rho_max, c_max, clip_value=0.0):
    """A batch of another policy's steps. Each lane goes on where it was unless an episode ends: v(s_(t+1)) is the value
    of the next row, which TorchRL takes from there. Its class VTrace is no peer: it takes the log-probabilities of
    actions that it draws anew, not of the batch's."""
    options = {"clip_value": clip_value} if clip_value > 0 else {}
    case, actor, critic, td = prepare_case(name, objective, seed, steps, lanes, gamma=gamma, estimator="vtrace",
                                           rho_max=rho_max, c_max=c_max, **options)
    shape = (steps, lanes, -1)
    ahead, done = td["next", "observation"].reshape(shape), td["next", "done"].reshape(shape)
    ahead[:-1] = torch.where(done[:-1], ahead[:-1], td["observation"].reshape(shape)[1:])
    case.replace("next.observation", ahead.reshape(steps * lanes, -1))
    with torch.no_grad():
        log_pi = actor.get_dist(td).log_prob(td["action"])
        log_mu = log_pi + 0.5 * case.normal(case.rows)
        value, next_value = critic(td.clone())["state_value"], critic(td["next"].clone())["state_value"]
    case.column("log_prob", "unbounded", log_mu)
    case.begin(of(actor, critic))
    advantage, target = functional.vtrace_advantage_estimate(
        gamma, *(each.reshape(shape) for each in (log_pi, log_mu, value, next_value, td["next", "reward"], td["next", "done"],
                                                  td["next", "terminated"])), rho_max, c_max, time_dim=0)
    case.list("written advantage", advantage)
    case.list("written value_target", target)
    explained_variance(case, value.reshape(shape), target)
    if clip_value > 0:
        case.list("written value_before", value)
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])
