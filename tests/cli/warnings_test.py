#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tenon validate` warns of: each warning has a manifest that gives it and one that is just short of it."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TENON = os.environ["TENON"]
MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"


def validate(*words, sets=()):
    given = [word for each in sets for word in ("--set", each)]
    return subprocess.run([TENON, "validate", *map(str, words), *given], capture_output=True, text=True, cwd=MANIFESTS.parent)


class Warnings(unittest.TestCase):
    maxDiff = None

    def warnings(self, *words, sets=()):
        run = validate(*words, sets=sets)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.endswith(": fine\n"))
        lines = run.stderr.splitlines()
        return [line for line in lines if line.startswith(("warning: ", "help: "))]

    def warned(self, name, why, key, *words, sets=()):
        meant = f'; if it is meant: validate.allow = ["{name}"]'
        self.assertEqual(self.warnings(*words, sets=sets), ["warning: " + why, "help: " + key + meant])
        self.assertEqual(self.warnings(*words, sets=[*sets, f'validate.allow=["{name}"]']), [])

    def test_a_horizon_that_is_too_long(self):
        why = "but episodes end after 200 steps: values are mostly of what comes after a time limit, and grow slowly"
        self.warned("horizon", f"objective.gamma = 0.9998 looks 5000 steps ahead, {why}", "set objective.gamma to about 0.995",
                    "manifests/sac_pendulum.toml", sets=["objective.gamma=0.9998"])
        self.warned("horizon", f"objective.gamma = 1 does not discount, {why}", "set objective.gamma to about 0.995",
                    "manifests/sac_pendulum.toml", sets=["objective.gamma=1.0"])
        self.assertEqual(self.warnings("manifests/sac_pendulum.toml", sets=["objective.gamma=0.9997"]), [])
        self.assertEqual(self.warnings("manifests/sac_pendulum.toml", sets=["objective.gamma=1.0", "env.max_episode_steps=0", "eval.max_steps=200"]), [])

    def test_a_horizon_that_is_too_short(self):
        self.warned("horizon", "objective.gamma = 0.9 looks 10 steps ahead, but episodes end after 500 steps: rewards that come late do "
                    "not count", "set objective.gamma to 0.99 or more", "manifests/dqn_cartpole.toml", sets=["objective.gamma=0.9"])
        self.assertEqual(self.warnings("manifests/dqn_cartpole.toml", sets=["objective.gamma=0.95"]), [])
        moved = '"objective.gamma" = { from = 0.9, to = 0.99, fraction = 1.0 }'
        self.assertEqual(self.warnings("manifests/dqn_cartpole.toml", sets=["schedule." + moved.replace(" = ", "=", 1)]), [])

    def test_a_target_entropy(self):
        is_per = "is per element of the action, which has 1: "
        self.warned("target_entropy", f"objective.target_entropy = 1.5 {is_per}no policy within the action's bounds has more than 1.38629, "
                    "so the temperature grows without end", "set objective.target_entropy to a lower value; -1 is usual",
                    "manifests/sac_pendulum.toml", sets=["objective.target_entropy=1.5"])
        self.warned("target_entropy", f"objective.target_entropy = -6 {is_per}so low a target leaves no exploration",
                    "set objective.target_entropy to -1, which is usual", "manifests/sac_pendulum.toml", sets=["objective.target_entropy=-6.0"])
        for fine in (1.3, -3.0):
            self.assertEqual(self.warnings("manifests/sac_pendulum.toml", sets=[f"objective.target_entropy={fine}"]), [])

    def test_large_rewards(self):
        transform = "env.transforms=[{{ plugin = \"standard/reward_clip\", low = -{0}, high = {0} }}]"
        large = transform.format("1000.0")
        self.warned("reward_scale", "'reward' is as large as 1000: losses and gradients grow with rewards, and the usual learning rates are "
                    "for rewards of about 1", "add a transform to [[env.transforms]] that scales or normalises rewards",
                    "manifests/ppo_pendulum.toml", sets=[large])
        self.assertEqual(self.warnings("manifests/ppo_pendulum.toml", sets=[transform.format("999.0")]), [])
        self.assertEqual(self.warnings("manifests/ppo_pendulum.toml", sets=[large, 'objective.value_normalisation="running"']), [])

    def test_a_time_limit_that_is_never_seen(self):
        self.warned("truncation", "a lane collects 468 frames in the whole run, but an episode may take 500: no time limit is ever seen, and "
                    "returns of training are of the shortest episodes only", "set run.total_frames to more, or env.lanes to less",
                    "manifests/ppo_cartpole.toml", sets=["env.lanes=320", "train.batch=2560"])
        self.assertEqual(self.warnings("manifests/ppo_cartpole.toml", sets=["env.lanes=256", "train.batch=2560"]), [])

    def test_an_env_without_a_time_limit(self):
        endless = "env.max_episode_steps=0"
        self.warned("time_limit", "classic/Pendulum-v1 has no time limit: where the policy is stuck, an evaluation goes on for 27000 steps",
                    "set env.max_episode_steps, which ends episodes of training too, or eval.max_steps", "manifests/sac_pendulum.toml",
                    sets=[endless])
        limited = 'env.transforms=[{ plugin = "standard/time_limit", max_steps = 200 }]'
        for fine in ("eval.max_steps=200", "eval.max_steps=0", "eval.every_frames=0", limited):
            self.assertEqual(self.warnings("manifests/sac_pendulum.toml", sets=[endless, fine]), [])

    def test_what_a_device_is_not_used_for(self):
        device = 'run.device="emulated"'
        on_cpu = "on the CPU while the device waits"
        self.warned("device", f"small/GridWorld-v0 has no kernels: 16 lanes are stepped {on_cpu}, and each update copies its minibatch to it, "
                    "15872 bytes", "use an env with kernels (tenon list names the devices of each)", "manifests/ppo_gridworld.toml", sets=[device])
        self.warned("device", f"the updates of ppo/ppo are computed {on_cpu}: run.dtype is \"float64\", and kernels compute in float32",
                    'set run.learn_on = "cpu"', "manifests/ppo_gru_cartpole.toml", sets=[device, 'run.dtype="float64"'])
        self.warned("device", f"small/GridWorld-v0 has no kernels: 1 lane is stepped {on_cpu}, and each update copies its minibatch to it, "
                    "15872 bytes", "use an env with kernels (tenon list names the devices of each)", "manifests/ppo_gridworld.toml",
                    sets=[device, "env.lanes=1"])
        apart = ["env.isolation=process", device]
        self.warned("device", f"isolation = \"process\" has another process step the lanes: 8 lanes are stepped {on_cpu}, and each update copies its "
                    "minibatch to it, 2880 bytes", 'leave it out, or set run.device = "cpu"', "manifests/dqn_cartpole.toml", sets=apart)
        self.assertEqual(self.warnings("manifests/ppo_gru_cartpole.toml", sets=[device]), [])
        self.assertEqual(self.warnings("manifests/sac_pendulum.toml", sets=[device]), [])

    def test_an_order_of_sums_where_none_is_chosen(self):
        ppo, exact, nothing = "manifests/ppo_gru_cartpole.toml", "cluster.exact=false", "cluster.exact = false changes nothing: "
        self.warned("cluster", nothing + "run.shards is 1, so no gradients are exchanged", "remove it, or set run.shards", ppo, sets=[exact])
        self.warned("cluster", nothing + "no gradients are computed on a device, and those that go through the host are always added in the order of "
                    "the shards", "remove it, or set run.device to a device that computes the updates", ppo, sets=[exact, "run.shards=2"])
        self.assertEqual(self.warnings("manifests/dqn_cartpole.toml", sets=[exact, 'run.device="emulated"', "run.shards=2"]), [])

    def test_many_updates_for_a_frame(self):
        why = "values overfit to a few frames beyond about 8, unless the algorithm is made for it (ensembles, resets)"
        self.warned("replay_ratio", f"there are 8.25 updates for each collected frame: {why}",
                    "set train.updates_per_batch to less, or train.batch to more", "manifests/sac_pendulum.toml", sets=["train.updates_per_batch=33"])
        self.assertEqual(self.warnings("manifests/sac_pendulum.toml", sets=["train.updates_per_batch=32"]), [])

    def test_whole_returns_from_short_batches(self):
        for given in (["objective.lambda=1.0"], ['objective.estimator="mc"']):
            self.warned("short_batch", "ppo/ppo sums rewards to the end of an episode, which may take 500 steps, but a batch has 32 steps of a "
                        "lane: most episodes are cut, and a value estimates the rest of their rewards", "set train.episodes, which collects whole episodes, in "
                        "place of train.batch; or lower objective.lambda", "manifests/ppo_cartpole.toml", sets=given)
        self.assertEqual(self.warnings("manifests/ppo_cartpole.toml", sets=["objective.lambda=1.0", "train.batch=4096"]), [])

    def test_observations_without_bounds(self):
        self.warned("observation_scale", "'state' has no bounds and is not normalised: on-policy methods learn little from elements of very "
                    "different sizes", "add a transform to [[env.transforms]] that normalises observations",
                    "manifests/mappo_spread.toml", sets=["validate.allow=[]"])
        norm = 'env.transforms=[{ plugin = "standard/observation_norm", column = "state" }]'
        self.assertEqual(self.warnings("manifests/mappo_spread.toml", sets=["validate.allow=[]", norm]), [])

    def test_a_value_that_a_schedule_replaces(self):
        schedule = 'schedule."objective.gamma"={ from = 0.9, to = 0.99, fraction = 1.0 }'
        self.warned("scheduled_value", "objective.gamma = 0.9 has no effect: [schedule] gives this option its values from the start",
                    'remove one of them; the schedule\'s first value is in schedule."objective.gamma"',
                    "manifests/dqn_cartpole.toml", sets=["objective.gamma=0.9", schedule])
        self.warned("scheduled_value", "optimiser.lr = 0.001 has no effect: [schedule] gives this option its values from the start",
                    'remove one of them; the schedule\'s first value is in schedule."optimiser.lr"',
                    "manifests/dqn_cartpole.toml", sets=["optimiser.lr=1e-3"])
        self.assertEqual(self.warnings("manifests/dqn_cartpole.toml", sets=["objective.gamma=0.97", "train.clip_norm=5.0"]), [])
        begins = 'schedule."objective.gamma"={ to = 0.99, fraction = 1.0 }'  # at the option's own value
        self.assertEqual(self.warnings("manifests/dqn_cartpole.toml", sets=["objective.gamma=0.9", begins]), [])
        with tempfile.TemporaryDirectory() as folder:  # a resolved manifest has defaults as well as schedules
            short = ["run.total_frames=100", "eval.every_frames=0", 'run.executor="compiled"']
            words = [TENON, "run", MANIFESTS / "dqn_cartpole.toml", "--out", Path(folder, "run"), "--quiet"]
            subprocess.run([*words, *(word for each in short for word in ("--set", each))], check=True, capture_output=True)
            self.assertEqual(self.warnings(Path(folder, "run", "manifest.lock.toml"), sets=['validate.allow=["truncation"]']), [])

    def test_answers_that_end_at_different_tokens(self):
        rest = "the objective and the policy do not end answers at the same token"
        for drawn, counted in ((3, 4), (3, -1), (-1, 4)):
            for manifest in ("grpo_sort", "expert_sort"):
                self.warned("stop", f"objective.stop = {counted}, but policy.actor.stop = {drawn}: {rest}", "give both the token that ends an "
                            "answer, or neither", f"manifests/{manifest}.toml", sets=[f"policy.actor.stop={drawn}", f"objective.stop={counted}"])
        self.assertEqual(self.warnings("manifests/grpo_sort.toml", sets=["policy.actor.stop=3", "objective.stop=3"]), [])
        self.warned("stop", f"objective.stop = -1, but policy.actor.stop = 3: {rest}", "give both the token that ends an answer, or neither",
                    "manifests/sft_sort.toml", sets=["policy.actor.stop=3"])
        self.assertEqual(self.warnings("manifests/sft_sort.toml", sets=["policy.actor.stop=3", "env.shortest=2"]), [])  # has lengths
        both = validate("manifests/grpo_sort.toml", sets=["policy.actor.stop=3", "objective.stop=4"]).stderr
        self.assertIn(" --> --set #1:1:19\n", both)
        self.assertIn(" --> --set #2:1:16\n", both)

    def test_answers_that_are_learnt_but_not_drawn(self):
        for manifest, objective in (("grpo_sort", "language/grpo"), ("ppo_sort", "ppo/ppo"), ("expert_sort", "language/expert_iteration")):
            self.warned("draws", f"policy.actor.draws = false, but {objective} learns from the answers of acting, which are then all zeros",
                        "leave policy.actor.draws out", f"manifests/{manifest}.toml", sets=["policy.actor.draws=false"])
        self.warned("draws", "policy.actor.draws = false, but language/sft learns from the answers of acting, which are then all zeros",
                    "leave policy.actor.draws out", "manifests/sft_sort.toml", sets=['objective.answer="action"'])
        distilled = self.warnings("manifests/distil_sort.toml", sets=["policy.actor.draws=false", 'validate.allow=["untrained"]'])
        self.assertEqual(distilled[0], "warning: policy.actor.draws = false, but language/distillation learns from the answers of acting, which are then all zeros")

    def test_columns_that_nothing_reads(self):
        trunk = '[policy.trunk]\nplugin = "cnn/convnet"\nin = ["image"]\nlayout = "hwc"\nchannels = [4]\n'
        nobody = "no network, objective, buffer, transform or hook reads it"
        head = '[policy.{}]\nplugin = "mlp/{}"\nin = {}\n'
        tail = '[objective]\nplugin = "ppo/ppo"\n'
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "choices.so").symlink_to(Path(os.environ["FIXTURES"]) / "choices.so")
            env = f'[run]\nexecutor = "compiled"\ntotal_frames = 2048\n[plugins]\nsearch = ["{folder}"]\n[env]\nplugin = "choices/Orders-v0"\nlanes = 8\n'
            manifest = Path(folder, "m.toml")

            def write(actor, value, more="", trunk=trunk):
                manifest.write_text(env + more + trunk + head.format("actor", "categorical", actor) + head.format("value", "value", value) + tail)

            picture, both = '["trunk.features"]', '["trunk.features", "order"]'
            order = f"the env observes 'order', but {nobody}"
            options = "add 'order' to the columns that a network reads: policy.actor.in, policy.value.in"
            write(picture, picture)
            self.warned("unread_column", order, options, manifest)
            run = subprocess.run([TENON, "run", manifest, "--out", Path(folder, "run"), "--quiet"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"warning: {order}\n", run.stderr)
            self.assertIn(f'help: {options}; if it is meant: validate.allow = ["unread_column"]\n', run.stderr)
            write('["order"]', '["order"]', trunk="")
            self.warned("unread_column", f"the env observes 'image', but {nobody}", "give the run a network that reads columns of this shape", manifest)
            transform = '[[env.transforms]]\nplugin = "standard/{}"\n'
            write(picture, both)
            self.assertEqual(self.warnings(manifest), [])
            write(both, both, more=transform.format("step_counter"))
            self.assertEqual(self.warnings(manifest), [])
            for name, silent in (('terminate"\ncolumn = "order', True), ('cast"\ncolumns = ["order"]\ndtype = "float32', False)):
                write(picture, picture, more=transform.format(name))
                self.assertEqual(self.warnings(manifest) == [], silent, name)

    def test_several_at_once(self):
        told = self.warnings("manifests/sac_pendulum.toml", sets=["train.updates_per_batch=33", "objective.gamma=1.0"])
        self.assertEqual([line[-16:] for line in told if line.startswith("help")], ['ow = ["horizon"]', '["replay_ratio"]'])
        self.assertEqual(len(told), 4)

    def test_a_warning_that_there_is_not(self):
        run = validate("manifests/sac_pendulum.toml", sets=['validate.allow=["horizo"]'])
        self.assertEqual(run.returncode, 2)
        self.assertIn("did you mean 'horizon'?", run.stderr)

    def test_networks_that_stay_random(self):
        begins = "keeps the random weights that it begins with: "
        self.warned("untrained", f"[policy.expert] {begins}it is frozen, has no init, and no hook writes it",
                    "set policy.expert.init to a run or a file of weights, or add the hook that writes it",
                    "manifests/dagger_pendulum.toml")
        with tempfile.TemporaryDirectory() as folder:
            game = Path(folder, "game.toml")
            text = Path(MANIFESTS, "selfplay_tictactoe.toml").read_text()
            hook = '[[hooks]]\nplugin = "league/pool"\nevery = 100_000\n'
            self.assertIn(hook, text)
            game.write_text(text.replace(hook, ""))
            self.warned("untrained", f"[policy.copies] {begins}it is frozen, has no init, and no hook writes it",
                        "set policy.copies.init to a run or a file of weights, or add the hook that writes it", game,
                        sets=['validate.allow=["observation_scale"]'])
            hunt = Path(folder, "hunt.toml")
            text = Path(MANIFESTS, "hunt.toml").read_text()
            flees = text[text.index('[[objective]]\nname = "flee"'): text.index("[optimiser]")]
            hunt.write_text(text.replace(flees, "").replace('[policy.prey_value]\nplugin = "mlp/value"\ngroup = "prey"\n'
                                                            'weight_init = "orthogonal"\n', ""))
            self.warned("untrained", f"[policy.prey] {begins}no objective trains it, it has no init, and no hook writes it",
                        "add an objective that trains it, or set policy.prey.init to a run or a file of weights", hunt)

    def test_networks_that_guide_no_search(self):
        guides, remedy = "[policy.guide] guides no search: ", "let a tree search act, or remove [policy.guide]"
        self.warned("guide", f"{guides}no policy that acts steps copies of the env", remedy, "manifests/ppo_cartpole.toml",
                    sets=['policy.guide={ plugin = "plan/guide" }'])
        self.warned("guide", "[policy.other] guides no search: an earlier network does", "remove one of them", "manifests/zero_tictactoe.toml",
                    sets=['policy.other={ plugin = "plan/guide" }'])

    def test_our_manifests_give_none(self):
        with tempfile.TemporaryDirectory() as folder:
            seen = 0
            for manifest in sorted(MANIFESTS.glob("*.toml")):
                # --set names the networks that they learn from
                unless = ['validate.allow=["untrained", "observation_scale"]'] if manifest.stem in ("dagger_pendulum", "distil_sort", "ppo_imagined_pendulum") else []
                run = validate(manifest, sets=unless)
                self.assertNotIn("warning:", run.stderr, folder)
                seen += run.returncode == 0
        self.assertGreater(seen, 30)  # the others need Python packages or files


if __name__ == "__main__":
    unittest.main()
