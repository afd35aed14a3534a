# SPDX-License-Identifier: Apache-2.0
"""CQLLoss of TorchRL against cql/cql. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/cql.py > tests/golden/objectives/cql.txt
"""

import contextlib

import torch
from peer import DISTANCES, Case, header
from torchrl.objectives import CQLLoss

GAMMA = 0.95
LOW, HIGH = [-1.0, -1.0], [1.0, 1.0]  # TorchRL's uniform actions are always within these
UPDATE = "cql/cql.update/"


@contextlib.contextmanager
def uniforms(record):
    """Hands over what TorchRL draws by uniform_, from the case's seed."""
    original = torch.Tensor.uniform_

    def drawn(tensor, low, high):
        return record(tensor, low, high)

    torch.Tensor.uniform_ = drawn
    try:
        yield
    finally:
        torch.Tensor.uniform_ = original


def conservative(loss, td, actions, weight, temperature, there="observation"):
    """The term as in appendix F of the paper and its code, for each row and each critic. TorchRL takes the logarithm of
    the sum of exp(q) over the three actions of one draw, not over all draws of the row; and what the policy would do in
    the next state it values there, not in the row's own state. With one draw and `there` it is TorchRL's."""
    rows, draws = td.shape[0], actions[0][0].shape[0]
    terms = []
    for member in range(2):
        with loss.qvalue_network_params[member].to_module(loss.qvalue_network):
            scores = []
            for key, (action, log_density) in zip(("observation", there, "observation"), actions):
                observation = td[key].expand(draws, rows, -1)
                q = loss.qvalue_network.module(observation, action).squeeze(-1)
                scores.append(q - log_density)
            chosen = loss.qvalue_network.module(td["observation"], td["action"]).squeeze(-1)
        terms.append(weight * (temperature * torch.logsumexp(torch.cat(scores) / temperature, 0) - chosen))
    return terms


def run(name, seed, draws=1, weight=1.0, temperature=1.0, entropy_in_target=False, best=False, lagrange=False, gap=0.0,
        clone=False, alpha=0.5, distance="huber", activation="tanh"):
    case = Case(name, "cql/cql", seed, activation=activation, gamma=GAMMA, alpha=alpha, target_entropy=-0.7,
                draws=draws, cql_weight=weight, cql_temperature=temperature, entropy_in_target=entropy_in_target,
                best_of_draws=best, lagrange=lagrange, lagrange_gap=gap, clone_updates=10 if clone else 0,
                loss=distance)
    actor = case.tanh_normal(3, LOW, HIGH)
    critic = case.q(3, len(LOW), count=2)
    td = case.transitions()
    case.bounded_action(LOW, HIGH)
    loss = CQLLoss(actor, critic, alpha_init=alpha, target_entropy=-0.7 * len(LOW), action_spec=None,
                   temperature=temperature, min_q_weight=weight, num_random=draws, max_q_backup=best,
                   deterministic_backup=not entropy_in_target, with_lagrange=lagrange, lagrange_thresh=gap,
                   loss_function=DISTANCES[distance])
    loss.make_value_estimator(gamma=GAMMA)
    own = {"log_alpha": "log_alpha"}
    if lagrange:
        with torch.no_grad():
            loss.log_alpha_prime += 0.3
        own["log_multiplier"] = "log_alpha_prime"
    case.begin(loss, own=own)

    def ours(values):  # TorchRL's rows are [rows * draws], ours [draws, rows]
        return values.reshape(case.rows, draws, -1).transpose(0, 1)

    uniform = []

    def record(tensor, low, high):
        values = case.uniform(*tensor.shape)
        uniform.append(low + (high - low) * ours(values))
        case.draw(UPDATE + "uniform", ours(values))
        return tensor.copy_(low + (high - low) * values)

    noise = []

    def of(stream):
        def keep(values):
            noise.append(ours(values))
            case.draw(stream, noise[-1])
        return keep

    first = UPDATE + "actor.sample/random_normal"
    target = [None, lambda values: case.draw(first, ours(values))] if best else [first]
    # here and there; then the draw of the actor, which TorchRL makes once more for the clone's loss
    names = [UPDATE + f"actor.sample#{i}/random_normal" for i in (1, 2, 3)]
    plain = UPDATE + "actor.sample#3/random_normal"
    with uniforms(record), case.draws(*target, of(names[0]), of(names[1]), plain, "=" + plain):
        out = loss(td)
    case.priority(td["td_error"].sqrt())  # TorchRL's is the square

    with torch.no_grad():
        actions = [(uniform[0], len(LOW) * torch.log(torch.tensor(0.5)))]
        for observation, eps in ((td["next", "observation"], noise[1]), (td["observation"], noise[0])):
            with loss.actor_network_params.to_module(loss.actor_network):
                dist = loss.actor_network.get_dist(td.select().set("observation", observation))
            pre = dist.base_dist.base_dist.loc + dist.base_dist.base_dist.scale * eps
            action = torch.tanh(pre)
            log_prob = torch.distributions.Normal(dist.base_dist.base_dist.loc, dist.base_dist.base_dist.scale).log_prob(pre)
            actions.append((action, (log_prob - torch.log1p(-action**2)).sum(-1)))
    if draws == 1:
        theirs = sum(conservative(loss, td, actions, weight, temperature, ("next", "observation"))).mean()
        torch.testing.assert_close(theirs, out["loss_cql"], rtol=1e-12, atol=0)
    gaps = conservative(loss, td, actions, weight, temperature)
    mean = sum(gaps).mean()
    temperature_terms = {"temperature.alpha": out["loss_alpha"]}
    if lagrange:
        # the paper's multiplier weighs the term; TorchRL learns it and leaves it out of the critics' loss
        multiplier = loss.log_alpha_prime.exp()
        mean = (multiplier.detach() * (sum(gaps) - 2 * gap)).mean()
        temperature_terms["temperature.lagrange"] = -multiplier * (sum(gaps).mean().detach() / 2 - gap)
        if draws == 1:
            torch.testing.assert_close(-multiplier * (theirs / 2 - gap), out["loss_alpha_prime"], rtol=1e-12, atol=0)
    case.finish(loss, {"critic": ({"critic.q": out["loss_qvalue"], "critic.cql": mean}, ["qvalue"]),
                       "actor": ({"actor.gain": out["loss_actor_bc" if clone else "loss_actor"]}, ["actor"]),
                       "temperature": (temperature_terms, ["objective"])}, moved=["qvalue"])


header("cql")
run("one_draw", 1)
run("four_draws", 2, draws=4, weight=0.7, temperature=1.5, activation="relu")
run("entropy_in_target", 3, entropy_in_target=True, distance="l2")
run("best_of_draws", 4, draws=3, best=True)
run("lagrange", 5, lagrange=True, gap=0.4)
run("lagrange_draws", 6, draws=3, lagrange=True, gap=2.0, weight=2.0)
run("clone", 7, clone=True)
