#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each check fails where what it looks at is broken, with a sentence that says what is wrong and names the header; and
no check stands in the list that nothing here fails."""

import unittest
from pathlib import Path

from checked import FIXTURES, SANITIZED, checked, failures

# Library of tests/fixtures/plugins or tests/fixtures/contract -> check that fails, the beginning of its sentence, what it breaks.
FILES = {
    "no_note": ("its note can be read", r".*no_note\.so is not a Tenon plugin: .*", "plugin.h: TN_NOTE_NAME"),
    "damaged_note": ("its note can be read", r".* has a damaged Tenon note: .*", "plugin.h: TN_NOTE_NAME"),
    "misnamed": ("its file is called as it is", r".* holds the plugin 'proper'; name the file proper\.so.*",
                 "plugin.h: tn_plugin_entry"),
    "exports_more": ("exports its entry alone", r"it exports 'helper' too; build it with tenon_add_plugin.*",
                     "plugin.h: tn_plugin_entry_v1"),
    "unique_symbol": ("has no symbols that are shared by all libraries", r"'shared_by_all': all libraries .*",
                      "plugin.h: tn_plugin_entry_v1"),
    "executable_stack": ("needs no executable stack", r"it wants a stack that can be executed; .*",
                         "plugin.h: tn_plugin_entry_v1"),
    "fast_math_code": ("is linked without -ffast-math", r"it holds the start-up code of -ffast-math .*",
                       "plugin.h: tn_plugin_entry_v1"),
    "needs_gone": ("the libraries that it needs are there", r".* cannot be loaded: libgone\.so: cannot open shared .*",
                   "plugin.h: tn_plugin_entry_v1"),
    "undefined_symbol": ("can be loaded, with all symbols bound at once", r".*undefined symbol: tn_test_nobody_defines_.*",
                         "plugin.h: tn_plugin_entry_v1"),
    "aborts": ("the libraries that it needs are there", r"it crashed.* \(SIGABRT\).*", "plugin.h: tn_plugin_entry_v1"),
    "other_count": ("its note and its code agree", r".* the note lists 1 components, the code has 2",
                    "plugin.h: tn_plugin_entry"),
    "null_function": ("its note and its code agree", r".* has a null in place of function 4", "plugin.h: tn_plugin_entry"),
    "failing_init": ("its note and its code agree", r"failing_init, init: no licence found", "plugin.h: tn_plugin_entry"),
    "fast_math": ("leaves rounding and tiny numbers alone", r"loading it changes how the whole process rounds .*",
                  "plugin.h: init"),
    "knows_prefixes": ("knows no names but its own", r"get_component gives a component for 'Count-v1x', .*",
                       "plugin.h: get_component"),
    "knows_all_interfaces": ("knows no names but its own", r"Count-v1 gives an interface for 'tenon\.env/', .*",
                             "plugin.h: get_interface"),
    "init_once": ("init may be called again", r"init returns 3 where it is called again", "plugin.h: init"),
    "writes_to_host": ("a newer host's table does no harm", r"it writes into the host's table", "host.h: tn_host"),
    "leaves_a_file": ("leaves the process as it was, up to its end", r"after init and deinit \d+ files are open, before .*",
                      "plugin.h: deinit"),
    "aborts_at_the_end": ("leaves the process as it was, up to its end", r"it crashed while the process ended \(SIGABRT\)",
                          "plugin.h: deinit"),
    "failing_create": ("is made and ended, two at a time", r"failing_create/Count-v1: limit is too bold",
                       "plugin.h: create"),
}

# Library of tests/fixtures/contract -> its option `fault` -> the same.
COMPONENTS = {
    "broken_env": {
        "lives_once": ("is made and ended, two at a time", r"a second instance beside the first: .*this cannot be made",
                       "plugin.h: create"),
        "leaves_thread": ("is made and ended, two at a time", r"after destroy 3 threads are running, before it was 1",
                          "plugin.h: destroy"),
        "wants_exact_size": ("a newer host may make it", r"broken_env/Walk-v0: this cannot be made",
                             "plugin.h: tn_create_args"),
        "describes_anew": ("describes itself the same way each time", r"two instances with the same options describe .*",
                           "env.h: describe"),
        "writes_past_size": ("describes itself the same way each time", r"describe writes past the struct_size .*",
                             "env.h: describe"),
        "crashes": ("begins episodes and steps", r"it crashed in step \(SIGSEGV\)", "env.h: step"),
        "aborts": ("begins episodes and steps", r"it crashed in step \(SIGABRT\)", "env.h: step"),
        "hangs": ("begins episodes and steps", r"it was not done after 1 s; the last call was step", "env.h: step"),
        "spins": ("begins episodes and steps", r"it was not done after 1 s; the last call was step", "env.h: step"),
        "exits": ("begins episodes and steps", r"it ended the process with exit code 0 in step", "env.h: step"),
        "leaves_at_once": ("begins episodes and steps", r"it ended the process with exit code 7", "env.h: step"),
        "writes_far_behind": ("begins episodes and steps",
                              r"it crashed in step \(SIGSEGV\): it touched memory behind the column 'reward'", "env.h: step"),
        "gives_up": ("begins episodes and steps", r".* gives lane 0 up after 0 steps, though all its actions are "
                     "allowed: the lane is tired", "env.h: step"),
        "draws_from_the_process": ("the same seeds and actions give the same bytes",
                                   r".* differ: after 1 step 'observation' of lane 0 is \S+ and \S+",
                                   "env.h: TN_DETERMINISM_BITS"),
        "uses_fresh_memory": ("the same seeds and actions give the same bytes",
                              r".* differ: after 1 step 'observation' of lane 0 is \S+ and \S+",
                              "env.h: TN_DETERMINISM_BITS"),
        "forgets_reward": ("writes every row that it should",
                           r"a row that should have been written .*: after 3 steps 'reward' of lane 0 .*", "env.h: step"),
        "writes_another_lane": ("writes no row that it should not",
                                r".* step writes to 'reward' in slot 0 of lane 0, which is not for this call.*",
                                "env.h: step"),
        "writes_another_slot": ("writes no row that it should not", r".* step writes to 'observation' in slot 0 of lane 10.*",
                                "env.h: step"),
        "ignores_strides": ("goes by the strides of its columns", r"columns with other strides in slot and lane get .*",
                            "env.h: bind"),
        "forgets_in_bind": ("goes on where its columns are bound anew", r"episodes do not go on where .*: after 7 steps .*",
                            "env.h: bind"),
        "draws_for_all": ("a lane depends on itself alone", r"a lane among others and the same lane in an instance .*",
                          "env.h: step"),
        "counts_calls": ("ranges of lanes are as good as one call", r"all lanes in one call and in several calls differ: .*",
                         "env.h: step"),
        "shares_scratch": ("ranges of lanes can be stepped by threads at the same time",
                           r"one thread and two at the same time differ: .*", "env.h: step"),
        "resets_all": ("a reset leaves other lanes alone", r".* reset writes to 'observation' in slot 0 of lane 1, .*",
                       "env.h: reset"),
        "ignores_seeds": ("a seed begins a lane anew", r"a lane that is reset with a seed is not as in a new instance .*",
                          "env.h: reset"),
        "flags_two": ("flags are 0 or 1 and keep to the episode limit", r"after 12 steps in lane 0: 'truncated' is 2",
                      "env.h: tn_env_info"),
        "forgets_limit": ("flags are 0 or 1 and keep to the episode limit",
                          r"after 6 steps in lane \d+: the episode goes on past the announced limit of 6 steps",
                          "env.h: tn_env_info"),
        "leaves_last_behind": ("begins the next episode by itself and keeps the last observation",
                               r"where an episode has ended, 'observation' in the next slot is none that .*", "env.h: step"),
        "keeps_first": ("begins the next episode by itself and keeps the last observation",
                        r"where an episode has ended, 'next\.observation' is always the first observation .*",
                        "env.h: step"),
        "leaves_spec": ("observations and rewards are within their specs",
                        r"after 1 step in lane 0: 'observation' is 1000\S*, announced is observation: float32 \[1\] in .*",
                        "spec.h: tn_spec"),
        "rewards_nan": ("observations and rewards are within their specs", r"after 1 step in lane 0: 'reward' is nan",
                        "spec.h: tn_spec"),
        "trusts_actions": ("impossible actions harm their own lane at most", r"it crashed in step \(SIGSEGV\)",
                           "env.h: step"),
        "blames_another": ("impossible actions harm their own lane at most",
                           r"after 'action' was -1: it gives lane 1 up, whose action was a good one",
                           "env.h: tn_env_buffers"),
        "is_silent": ("impossible actions harm their own lane at most",
                      r"after 'action' was -1: it gives a lane up without a sentence", "env.h: tn_env_buffers"),
        "forgets_counter": ("goes on after loading as if it had never stopped",
                            r"an instance that has loaded goes on differently .*: after \d+ steps 'observation' .*",
                            "state.h: load"),
        "reads_once": ("goes on after loading as if it had never stopped",
                       r"load leaves \d+ of the \d+ bytes that save wrote", "state.h: load"),
        "saves_address": ("equal state gives equal bytes", r"two instances that did the same save different bytes: .*",
                          "state.h: save"),
        "takes_anything": ("saved state that is cut off is refused", r"load takes 0 of \d+ bytes for the whole state",
                           "state.h: load"),
        "has_no_pixels": ("draws whole pictures, and drawing changes nothing",
                          r"describe says that pictures have 0 times 24 pixels, .*", "render.h: draw"),
        "draws_in_part": ("draws whole pictures, and drawing changes nothing",
                          r"a lane that is drawn twice looks different: .*", "render.h: draw"),
        "draws_outside": ("draws whole pictures, and drawing changes nothing", r".*behind the column 'pixels'.*", "plugin.h: tn_plugin_entry"),
        "draws_by_stepping": ("draws whole pictures, and drawing changes nothing",
                              r"a lane that is drawn goes on differently: .*", "render.h: draw"),
        "grows": ("does not grow while it runs", r"after \d+ more steps it holds \d+ KiB of memory more", "env.h: step"),
        "steps_exact_size": ("structs of a newer host do no harm", r"broken_env/Walk-v0, step: this is not my struct",
                             "types.h: struct_size"),
    },
    "broken_transform": {
        "describes_anew": ("describes columns the same way each time", r"two instances with the same options describe .*",
                           "transform.h: describe"),
        "writes_past_size": ("describes columns the same way each time", r"describe writes past the struct_size .*",
                             "transform.h: describe"),
        "crashes": ("takes part in episodes and steps", r"it crashed in apply \(SIGSEGV\)", "transform.h: apply"),
        "draws_from_the_process": ("the same columns give the same bytes", r".* differ: after 1 step 'age' of lane 0 .*",
                                   "transform.h: apply"),
        "forgets_a_row": ("writes every row that it should", r"a row that should have been written .*: after 3 steps .*",
                          "transform.h: apply"),
        "writes_another_lane": ("writes no row that it should not", r".* step writes to 'reward' in slot 0 of lane 0, .*",
                                "transform.h: apply"),
        "ignores_strides": ("goes by the strides of its columns", r"columns with other strides in slot and lane get .*",
                            "transform.h: bind"),
        "forgets_in_bind": ("goes on where its columns are bound anew", r"episodes do not go on where .*: after 7 steps .*",
                            "transform.h: bind"),
        "counts_for_all": ("a lane depends on itself alone", r"a lane among others and the same lane in an instance .*",
                           "transform.h: apply"),
        "counts_calls": ("ranges of lanes are as good as one call", r"all lanes in one call and in several calls .*",
                         "transform.h: apply"),
        "shares_scratch": ("ranges of lanes can be worked on by threads at the same time",
                           r"one thread and two at the same time differ: .*", "transform.h: apply"),
        "resets_all": ("a reset leaves other lanes alone", r"a reset of other lanes changes a lane: .* 'age' of lane 1 .*",
                       "transform.h: TN_TRANSFORM_RESET"),
        "leaves_spec": ("what it makes is within the specs that it describes",
                        r"after 1 step in lane 0: 'age' is 5001, announced is age: .*", "transform.h: describe"),
        "forgets_state": ("goes on after loading as if it had never stopped",
                          r"an instance that has loaded goes on differently .*", "state.h: load"),
        "saves_address": ("equal state gives equal bytes", r"two instances that did the same save different bytes: .*",
                          "state.h: save"),
        "grows": ("does not grow while it runs", r"after \d+ more steps it holds \d+ KiB of memory more",
                  "transform.h: apply"),
        "wants_exact_size": ("structs of a newer host do no harm", r"broken_transform/age, reset: .*",
                             "types.h: struct_size"),
    },
    "broken_objective": {
        "crashes": ("builds the same graph each time", r"it crashed in update \(SIGSEGV\)", "graph.h: build"),
        "builds_anew": ("builds the same graph each time",
                        r"built twice with the same options it is another graph, from line \d+ on: .*", "graph.h: build"),
        "is_no_number": ("both executors agree on losses and gradients", r"the loss 'q' of the stage 'update' is nan .* log/1 of broken_objective/regress", "graph.h: build"),
        "numbers_rows": ("the order of rows makes no difference",
                         r"the order of rows makes a difference: the loss 'q' is \S+ with the last row first, \S+ as it was",
                         "fused.h: forward"),
    },
    "broken_head": {
        "leaves_spec": ("gives actions that there are, in both modes",
                        r"'action' of its mode is [4567], and the env takes action: .*", "graph.h: build"),
        "grows": ("both executors act alike",
                  r"the two executors disagree: the column 'action_logits' differs by .*", "graph.h: build"),
        "looks_around": ("a lane acts by itself",
                         r"lane \d+ among \d+ lanes and by itself differ in 'log_prob' by .*", "graph.h: build"),
        "says_less": ("log_prob gives a draw what sample gave it",
                      r"sample says that its draw has the log-probability \S+, and log_prob says \S+", "graph.h: build"),
        "spreads_more": ("entropy is the mean of -log_prob over draws",
                         r"over 20000 draws for one observation -log_prob is \S+, and entropy \S+", "graph.h: build"),
        "is_elsewhere": ("kl from what drew the actions to itself is 0", r"kl from a distribution to itself is \S+",
                         "graph.h: build"),
    },
    "broken_policy": {
        "gives_another": ("gives actions that there are", r"broken_policy/chooser: it gives lane \d+ the action [34], and .*",
                          "policy.h: act"),
        "draws_from_the_process": ("the same key and counter give the same actions",
                                   r"two instances with the same key, counter and observations differ: at step \d+ .*",
                                   "policy.h: tn_policy_call"),
        "forgets_a_row": ("writes every action that it should",
                          r"broken_policy/chooser: it gives lane 0 the action 72340172838076673, and .*", "policy.h: act"),
        "writes_another_lane": ("writes no row that it should not",
                                r".* act writes to 'action' in slot \d of lane 0, which is not for this call to write",
                                "policy.h: act"),
        "ignores_strides": ("goes by the strides of its columns",
                            r"columns with other strides in slot and lane get other actions: .*", "policy.h: bind"),
        "forgets_in_bind": ("goes on where its columns are bound anew",
                            r"it acts otherwise where its columns are bound anew: .*", "policy.h: bind"),
        "counts_for_all": ("a lane depends on itself alone",
                           r"a lane among others and the same lane in an instance of its own differ: .*", "policy.h: act"),
        "counts_calls": ("ranges of lanes are as good as one call",
                         r"all lanes in one call and in several calls differ: .*", "policy.h: act"),
        "shares_scratch": ("ranges of lanes can act on threads at the same time",
                           r"one thread and two at the same time differ: .*", "policy.h: act"),
        "forgets_state": ("goes on after loading as if it had never stopped",
                          r"an instance that has loaded acts differently from the one that had saved: .*",
                          "state.h: load"),
        "grows": ("does not grow while it runs", r"after 10000 calls it holds \d+ KiB of memory more", "policy.h: act"),
        "wants_exact_size": ("structs of a newer host do no harm", r"broken_policy/chooser, act: .*",
                             "types.h: struct_size"),
    },
    "broken_sampler": {
        "plans_anew": ("plans batches the same way each time", r"two instances with the same options plan differently",
                       "sampler.h: plan"),
        "writes_past_size": ("plans batches the same way each time", r".* plan writes past the struct_size .*",
                             "sampler.h: plan"),
        "points_outside": ("every row is a transition that the buffer holds",
                           r"row 5 of index array 0 is slot 24 of lane \d, which is no transition that the buffer holds",
                           "sampler.h: sample"),
        "weighs_nothing": ("every row is a transition that the buffer holds", r"'weight' of row 0 is 0", "sampler.h: sample"),
        "writes_behind": ("every row is a transition that the buffer holds",
                          r"it crashed in sample \(SIGSEGV\): it touched memory behind the column 'slots'",
                          "sampler.h: sample"),
        "draws_from_the_process": ("the same key and counter give the same rows",
                                   r"two instances with the same key, counter and buffer differ: .*", "sampler.h: sample"),
        "forgets_a_weight": ("writes every row that it should", r"a row that should have been written .*: 'weight' of row 2 .*",
                             "sampler.h: sample"),
        "prefers_some": ("rows of one weight are drawn equally often",
                         r"all rows have the same weight and are not drawn equally often: chi-square of \d+ .*",
                         "sampler.h: sample"),
        "ignores_priorities": ("what has a higher priority is drawn more often",
                               r"a transition whose priority is ten thousand times .* is drawn \d+ times, others \d+ times",
                               "sampler.h: prioritise"),
        "forgets_state": ("goes on after loading as if it had never stopped",
                          r"an instance that has loaded samples differently from the one that had saved: .*",
                          "state.h: load"),
        "grows": ("does not grow while it runs", r"after \d+ batches it holds \d+ KiB of memory more",
                  "sampler.h: sample"),
        "wants_exact_size": ("structs of a newer host do no harm", r"broken_sampler/choose, sample: .*",
                             "types.h: struct_size"),
    },
}

# What wires those that need to be wired.
MANIFESTS = {name: ("--manifest", Path(__file__).parent / f"{name}.toml") for name in ("broken_head", "broken_objective")}

# What a sanitizer's own allocator and handlers get in the way of.
NOT_SANITIZED = {"uses_fresh_memory", "grows", "crashes", "aborts", "writes_far_behind", "writes_behind", "writes_past_size", "trusts_actions",
                 "aborts_at_the_end", "hangs", "spins"}


def possible(fault):
    if SANITIZED and fault in NOT_SANITIZED:
        print(f"a sanitizer answers in its place, not tried: {fault}")
        return False
    return True


class Faults(unittest.TestCase):
    def expect(self, fault, expected, report):
        check, sentence, breaks = expected
        found = failures(report)
        self.assertIn(check, found)
        self.assertRegex(found[check][0], f"^{sentence}$")
        self.assertEqual(found[check][1], f"tenon/abi/{breaks}")

    def test_files(self):
        for name, expected in FILES.items():
            if not possible(name):
                continue
            with self.subTest(name):
                folder = next(FIXTURES / kind for kind in ("contract", "plugins") if (FIXTURES / kind / f"{name}.so").exists())
                code, report = checked(folder / f"{name}.so")
                self.assertEqual(code, 3)
                self.expect(name, expected, report)

    def test_components(self):
        for library, faults in COMPONENTS.items():
            plugin = FIXTURES / "contract" / f"{library}.so"
            wired = MANIFESTS.get(library, ())
            code, report = checked(plugin, *wired)
            self.assertEqual((code, failures(report)), (0, {}))
            self.assertEqual(report["skipped"], 0)
            for fault, expected in faults.items():
                if not possible(fault):
                    continue
                with self.subTest(fault):
                    timeout = 5 if wired or fault == "shares_scratch" else 1  # which sleeps, longer on a busy machine
                    code, report = checked(plugin, "--set", f"fault={fault}", "--timeout", timeout, *wired)
                    self.assertEqual(code, 3)
                    self.expect(fault, expected, report)

    def test_every_check_can_fail(self):
        can_fail = {check for check, _, _ in FILES.values()}
        can_fail |= {check for faults in COMPONENTS.values() for check, _, _ in faults.values()}
        there = set()
        for library in COMPONENTS:
            there |= {row["check"] for row in checked(FIXTURES / "contract" / f"{library}.so", *MANIFESTS.get(library, ()))[1]["checks"]}
        self.assertEqual(there - can_fail, set())


if __name__ == "__main__":
    unittest.main()
