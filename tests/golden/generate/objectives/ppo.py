# SPDX-License-Identifier: Apache-2.0
"""ClipPPOLoss and PPOLoss of TorchRL, their estimators, and divergences of torch.distributions, against ppo/ppo. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/ppo.py > tests/golden/objectives/ppo.txt
"""

from contextlib import nullcontext
from copy import deepcopy

from on_policy import finish_update, losses, prepare_all, prepare_by, prepare_gae, prepare_vtrace, update_case
from peer import DISTANCES, header, shake
from tensordict import TensorDict
from tensordict.nn import set_composite_lp_aggregate
from torch.distributions import Normal, kl_divergence
from torchrl.objectives import ClipPPOLoss, PPOLoss
from torchrl.objectives.llm import GRPOLoss


def run(name, seed, normalise=False, clip_value=0.0, distance="huber", entropy=0.01, head="categorical", mask=False):
    with set_composite_lp_aggregate(True) if head == "composite" else nullcontext():  # one log-prob of all heads
        case, actor, critic, td = update_case(
            name, "ppo/ppo", seed, head, mask, clip_epsilon=0.15, value_coefficient=0.5, entropy_coefficient=entropy,
            normalise_advantage=normalise, clip_value=clip_value, value_loss=distance)
        loss = ClipPPOLoss(actor, critic, clip_epsilon=0.15, entropy_coeff=entropy, critic_coeff=0.5,
                           normalize_advantage=normalise, clip_value=clip_value or None,
                           loss_critic_type=DISTANCES[distance])
        if head == "composite":
            loss.set_keys(action=[("action", "move"), ("action", "push")])
        out = losses(case, loss, td, "ppo/ppo", head)
        case.list("metric approx_kl", kl(loss, td))
        case.list("metric clip_fraction", out["clip_fraction"])
        finish_update(case, loss, out)


def unclipped(name, seed, normalise=False, head="categorical"):
    case, actor, critic, td = update_case(name, "ppo/ppo", seed, head, clip="none", value_coefficient=0.5,
                                          entropy_coefficient=0.05, normalise_advantage=normalise)
    loss = PPOLoss(actor, critic, entropy_coeff=0.05, critic_coeff=0.5, normalize_advantage=normalise)
    out = losses(case, loss, td, "ppo/ppo", head)
    case.list("metric approx_kl", kl(loss, td))
    finish_update(case, loss, out)


def whole(name, seed, clip_value=0.2):
    """The batch's advantages have been normalised as a whole, and it has the values of that time."""
    case, actor, critic, td = update_case(
        name, "ppo/ppo", seed, clip_epsilon=0.15, value_coefficient=0.5, entropy_coefficient=0.05,
        normalise_advantage=True, normalise_over="batch", clip_value=clip_value)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.15, entropy_coeff=0.05, critic_coeff=0.5,
                       normalize_advantage=False, clip_value=clip_value)
    finish_update(case, loss, losses(case, loss, td, "ppo/ppo", "categorical"))


def referenced(name, seed, head="categorical", form="exact", weight=0.3):
    """With a penalty on the divergence to a reference: that of torch.distributions, or what TorchRL's GRPOLoss makes of
    log-probabilities."""
    case, actor, critic, td = update_case(
        name, "ppo/ppo", seed, head, clip_epsilon=0.15, value_coefficient=0.5, entropy_coefficient=0.01,
        reference_kl=weight, reference_kl_form=form)
    reference = deepcopy(actor)
    shake(TensorDict.from_module(reference), case.generator)
    case.parameters("reference", "actor", TensorDict.from_module(reference))
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.15, entropy_coeff=0.01, critic_coeff=0.5)
    out = losses(case, loss, td, "ppo/ppo", head)
    with loss.actor_network_params.to_module(actor):
        now, then = actor.get_dist(td), reference.get_dist(td)
        td["_cur_log_prob"] = now.log_prob(td["action"])
        before = then.log_prob(td["action"]).detach()
        penalty = weight * (kl_divergence(base(now), base(then)).reshape(case.rows, -1).sum(-1).mean() if form == "exact" else
                            GRPOLoss._kl_to_ref(loss, td, ref_log_prob=before, coeff=1.0)[1])
    case.list("metric reference_kl", penalty / weight)
    case.finish(loss, {"update": ({"policy": out["loss_objective"], "value": out["loss_critic"],
                                   "entropy": out["loss_entropy"], "reference_kl": penalty}, ["actor", "value"])})


def base(dist):
    """Squashing two normals in the same way does not change their divergence; torch cannot know that."""
    return Normal(dist.loc, dist.scale) if hasattr(dist, "scale") else dist


def kl(loss, td):
    """TorchRL logs the mean of minus the log-ratio; ours is Schulman's estimate of it that is never negative."""
    log_ratio = loss._log_weight(td, adv_shape=td.batch_size)[0]
    return (log_ratio.exp() - 1 - log_ratio).mean()


header("ppo")
run("plain", 1)
run("normalised", 2, normalise=True, entropy=0.05)
run("value_clipped", 3, clip_value=0.2)
run("value_clipped_l2", 4, clip_value=0.2, distance="l2", normalise=True)
run("l2_no_entropy", 5, distance="l2", entropy=0.0)
run("masked", 6, mask=True)
run("tanh_normal", 7, head="tanh_normal", entropy=0.05)
run("tanh_normal_normalised", 8, head="tanh_normal", normalise=True, clip_value=0.3)
run("normal", 9, head="normal", entropy=0.05, distance="l2")
run("free_normal", 10, head="free_normal", entropy=0.05, normalise=True)
run("composite", 11, head="composite", entropy=0.05)
run("composite_normalised", 12, head="composite", normalise=True, clip_value=0.3, distance="l2")
referenced("reference", 13)
referenced("reference_tanh_normal", 14, head="tanh_normal")
referenced("reference_normal", 15, head="normal", weight=1.5)
referenced("reference_free_normal", 16, head="free_normal")
referenced("reference_sampled", 17, form="sampled")
referenced("reference_sampled_tanh_normal", 18, form="sampled", head="tanh_normal")
prepare_gae("prepare", "ppo/ppo", ClipPPOLoss, 20, 9, 3, 0.97, 0.9)
prepare_gae("prepare_one_step", "ppo/ppo", ClipPPOLoss, 21, 6, 2, 0.9, 0.0)
run("l1", 22, distance="l1", clip_value=0.2)
unclipped("unclipped", 23)
unclipped("unclipped_tanh_normal", 24, normalise=True, head="tanh_normal")
whole("whole", 25)
prepare_all("ppo/ppo", ClipPPOLoss)
prepare_by("gae", "prepare_whole_clipped", "ppo/ppo", ClipPPOLoss, 40, 9, 3, 0.97, 0.9, whole=True, clip_value=0.2)
prepare_vtrace("prepare_vtrace_clipped_value", "ppo/ppo", ClipPPOLoss, 41, 9, 3, 0.97, 1.1, 0.9, clip_value=0.2)
