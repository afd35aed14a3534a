# SPDX-License-Identifier: Apache-2.0
"""What the generators of objectives that learn from collected batches share."""

import torch
from peer import Case

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
    # ours takes the value of that time to be target - advantage, which is what GAE makes of it
    case.column("value_target", "unbounded", td["state_value"] + advantage)
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


def finish_prepare(case, loss, steps, lanes):
    """Expects what TorchRL's estimator makes of the batch, which is [lanes, time] there."""
    batch = case.td.reshape(steps, lanes).transpose(0, 1).contiguous()
    loss.value_estimator(batch, params=loss.critic_network_params.detach(), target_params=loss.critic_network_params)
    case.list("written advantage", batch["advantage"].transpose(0, 1))
    case.list("written value_target", batch["value_target"].transpose(0, 1))
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])


def prepare_gae(name, objective, of, seed, steps, lanes, gamma, lmbda):
    """Advantages by the GAE of a TorchRL loss."""
    case, actor, critic, _ = prepare_case(name, objective, seed, steps, lanes, gamma=gamma, lambda_=lmbda)
    loss = of(actor, critic)
    loss.make_value_estimator(gamma=gamma, lmbda=lmbda)
    case.begin(loss)
    finish_prepare(case, loss, steps, lanes)
