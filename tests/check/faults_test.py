#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each check fails where what it looks at is broken, with a sentence that says what is wrong and names the header; and
no check stands in the list that nothing here fails."""

import os
import unittest
from pathlib import Path

from checked import FIXTURES, SANITIZED, checked, failures

# Library of tests/fixtures/plugins or tests/fixtures/contract -> check that fails, the beginning of its sentence, what it breaks.
FILES = {
    "no_note": ("its note can be read", r".*no_note\.so is not a Tenon plugin: .*", "plugin.h: TN_NOTE_NAME"),
    "damaged_note": ("its note can be read", r".* has a damaged Tenon note: .*", "plugin.h: TN_NOTE_NAME"),
    "misnamed": ("its file has the plugin's name", r".* is the plugin 'proper'; rename the file to proper\.so.*",
                 "plugin.h: tn_plugin_entry"),
    "exports_more": ("exports only its entry", r"it exports 'helper' too; build it with tenon_add_plugin.*",
                     "plugin.h: tn_plugin_entry_v1"),
    "unique_symbol": ("has no unique symbols, which all libraries share", r"'shared_by_all': all libraries .*",
                      "plugin.h: tn_plugin_entry_v1"),
    "executable_stack": ("needs no executable stack", r"it requires an executable stack; .*",
                         "plugin.h: tn_plugin_entry_v1"),
    "fast_math_code": ("is linked without -ffast-math", r"it contains the start-up code of -ffast-math .*",
                       "plugin.h: tn_plugin_entry_v1"),
    "needs_gone": ("the libraries that it needs are installed", r".* cannot be loaded: libgone\.so: cannot open shared .*",
                   "plugin.h: tn_plugin_entry_v1"),
    "undefined_symbol": ("can be loaded, with all symbols bound at once", r".*undefined symbol: tn_test_nobody_defines_.*",
                         "plugin.h: tn_plugin_entry_v1"),
    "aborts": ("the libraries that it needs are installed", r"it crashed.* \(SIGABRT\).*", "plugin.h: tn_plugin_entry_v1"),
    "other_count": ("its note and its code agree", r".* the note lists 1 components, but the code has 2",
                    "plugin.h: tn_plugin_entry"),
    "null_function": ("its note and its code agree", r".* has a null in place of function 4", "plugin.h: tn_plugin_entry"),
    "failing_init": ("its note and its code agree", r"failing_init, init: no licence found", "plugin.h: tn_plugin_entry"),
    "fast_math": ("does not change rounding or denormal numbers", r"loading it changes rounding or denormal numbers .*",
                  "plugin.h: init"),
    "knows_prefixes": ("returns null for unknown names", r"get_component returns a component for 'Count-v1x', .*",
                       "plugin.h: get_component"),
    "knows_all_interfaces": ("returns null for unknown names", r"Count-v1 returns an interface for 'tenon\.env/', .*",
                             "plugin.h: get_interface"),
    "init_once": ("init may be called again", r"init returns 3 when it is called again", "plugin.h: init"),
    "writes_to_host": ("accepts the larger table of a newer host", r"it writes into the host's table", "host.h: tn_host"),
    "leaves_a_file": ("leaves the process unchanged, up to its exit", r"after init and deinit \d+ files are open, instead of .*",
                      "plugin.h: deinit"),
    "aborts_at_the_end": ("leaves the process unchanged, up to its exit", r"it crashed while the process ended \(SIGABRT\)",
                          "plugin.h: deinit"),
    "failing_create": ("two instances can be created and destroyed", r"failing_create/Count-v1: limit is too bold",
                       "plugin.h: create"),
}

# Library of tests/fixtures/contract -> its option `fault` -> the same.
COMPONENTS = {
    "broken_env": {
        "lives_once": ("two instances can be created and destroyed", r"a second instance fails while the first exists: .*this cannot be made",
                       "plugin.h: create"),
        "leaves_thread": ("two instances can be created and destroyed", r"after destroy 3 threads are running, instead of 1",
                          "plugin.h: destroy"),
        "wants_exact_size": ("accepts the larger tn_create_args of a newer host", r"broken_env/Walk-v0: this cannot be made",
                             "plugin.h: tn_create_args"),
        "describes_anew": ("describes itself the same way each time", r"two instances with the same options describe .*",
                           "env.h: describe"),
        "writes_past_size": ("describes itself the same way each time", r"describe writes past the struct_size .*",
                             "env.h: describe"),
        "crashes": ("begins episodes and steps", r"it crashed in step \(SIGSEGV\)", "env.h: step"),
        "aborts": ("begins episodes and steps", r"it crashed in step \(SIGABRT\)", "env.h: step"),
        "hangs": ("begins episodes and steps", r"it did not finish within 1 s; the last call was step", "env.h: step"),
        "spins": ("begins episodes and steps", r"it did not finish within 1 s; the last call was step", "env.h: step"),
        "exits": ("begins episodes and steps", r"it ended the process with exit code 0 in step", "env.h: step"),
        "leaves_at_once": ("begins episodes and steps", r"it ended the process with exit code 7", "env.h: step"),
        "writes_far_behind": ("begins episodes and steps",
                              r"it crashed in step \(SIGSEGV\): it touched memory behind the column 'reward'", "env.h: step"),
        "gives_up": ("begins episodes and steps", r".* reports an error in lane 0 after 0 steps, though all its actions were allowed: the lane is tired", "env.h: step"),
        "draws_from_the_process": ("the same seeds and actions give the same bytes",
                                   r".* differ: after 1 step 'observation' of lane 0 is \S+ and \S+",
                                   "env.h: TN_DETERMINISM_BITS"),
        "uses_fresh_memory": ("the same seeds and actions give the same bytes",
                              r".* differ: after 1 step 'observation' of lane 0 is \S+ and \S+",
                              "env.h: TN_DETERMINISM_BITS"),
        "forgets_reward": ("writes every row that it should",
                           r"a row that should have been written .*: after 3 steps 'reward' of lane 0 .*", "env.h: step"),
        "writes_another_lane": ("writes no other row",
                                r".* step writes to 'reward' in slot 0 of lane 0, which this call must not write",
                                "env.h: step"),
        "writes_another_slot": ("writes no other row", r".* step writes to 'observation' in slot 0 of lane 10.*",
                                "env.h: step"),
        "ignores_strides": ("respects the strides of its columns", r"columns with other strides of slots and lanes get .*",
                            "env.h: bind"),
        "forgets_in_bind": ("continues after its columns are rebound", r"episodes do not continue after .*: after 7 steps .*",
                            "env.h: bind"),
        "draws_for_all": ("a lane does not depend on other lanes", r"a lane among others and the same lane alone .*",
                          "env.h: step"),
        "counts_calls": ("calls on ranges of lanes equal one call", r"all lanes in one call and in several calls differ: .*",
                         "env.h: step"),
        "shares_scratch": ("threads can step ranges of lanes concurrently",
                           r"one thread and two concurrent threads differ: .*", "env.h: step"),
        "resets_all": ("a reset leaves other lanes alone", r".* reset writes to 'observation' in slot 0 of lane 1, .*",
                       "env.h: reset"),
        "ignores_seeds": ("a reset with a seed restarts a lane", r"a lane that is reset with a seed differs from a new .*",
                          "env.h: reset"),
        "flags_two": ("flags are 0 or 1 and respect the episode limit", r"after 12 steps in lane 0: 'truncated' is 2",
                      "env.h: tn_env_info"),
        "forgets_limit": ("flags are 0 or 1 and respect the episode limit",
                          r"after 6 steps in lane \d+: the episode continues past its announced limit of 6 steps",
                          "env.h: tn_env_info"),
        "leaves_last_behind": ("resets itself and keeps the final observation",
                               r"after the end of an episode, 'observation' in the next slot is not an .*", "env.h: step"),
        "keeps_first": ("resets itself and keeps the final observation",
                        r"after the end of an episode, 'next\.observation' is always the first observation .*",
                        "env.h: step"),
        "leaves_spec": ("observations and rewards are within their specs",
                        r"after 1 step in lane 0: 'observation' is 1000\S*, but its spec is observation: float32 \[1\] in .*",
                        "spec.h: tn_spec"),
        "rewards_nan": ("observations and rewards are within their specs", r"after 1 step in lane 0: 'reward' is nan",
                        "spec.h: tn_spec"),
        "trusts_actions": ("an invalid action affects only its own lane", r"it crashed in step when 'action' was \S+ \(SIGSEGV\)",
                           "env.h: step"),
        "blames_another": ("an invalid action affects only its own lane",
                           r"after 'action' was -1: it reports an error in lane 1, whose action was valid",
                           "env.h: tn_env_buffers"),
        "is_silent": ("an invalid action affects only its own lane",
                      r"after 'action' was -1: it reports an error in a lane without an error message", "env.h: tn_env_buffers"),
        "forgets_counter": ("continues after loading as if it had never stopped",
                            r"an instance that has loaded a state continues differently .*: after \d+ steps 'observation' .*",
                            "state.h: load"),
        "reads_once": ("continues after loading as if it had never stopped",
                       r"load leaves \d+ of the \d+ bytes that save wrote", "state.h: load"),
        "saves_address": ("equal state gives equal bytes", r"two instances with the same history save different bytes: .*",
                          "state.h: save"),
        "takes_anything": ("truncated saved state is refused", r"load accepts 0 of \d+ bytes as the whole state",
                           "state.h: load"),
        "has_no_pixels": ("draws complete pictures and does not change a lane by drawing",
                          r"describe says that pictures have 0 times 24 pixels, .*", "render.h: draw"),
        "draws_in_part": ("draws complete pictures and does not change a lane by drawing",
                          r"two drawings of a lane differ: .*", "render.h: draw"),
        "draws_outside": ("draws complete pictures and does not change a lane by drawing", r".*behind the column 'pixels'.*", "plugin.h: tn_plugin_entry"),
        "draws_by_stepping": ("draws complete pictures and does not change a lane by drawing",
                              r"drawing a lane changes how it continues: .*", "render.h: draw"),
        "grows": ("does not grow while it runs", r"after \d+ more steps it holds \d+ more KiB of memory", "env.h: step"),
        "steps_exact_size": ("accepts the larger structs of a newer host", r"broken_env/Walk-v0, step: this is not my struct",
                             "types.h: struct_size"),
    },
    "broken_goals": {
        "other_reward": ("judges steps by other goals as it would have stepped",
                         r"after 1 step in lane 0: judge gives the reward \S+ for the step's own goal, but step gave \S+",
                         "goal.h: judge"),
        "other_end": ("judges steps by other goals as it would have stepped",
                      r"after \d+ steps? in lane \d+: judge writes 0 to terminated .*, but step wrote 1", "goal.h: judge"),
        "judges_unwanted": ("judges steps by other goals as it would have stepped",
                            r"judge writes to row 2, which is not wanted", "goal.h: judge"),
        "remembers": ("judges steps by other goals as it would have stepped",
                      r"judge gives equal rows other results when it is called again, .*", "goal.h: judge"),
        "unknown_column": ("judges steps by other goals as it would have stepped",
                           r".*judge is to read 'speed', but spec\(\) has no such column", "goal.h: judge"),
    },
    "broken_async": {
        "other_step": ("steps that end later are those of step", r"submit and poll differ from step: after 1 step 'observation' of lane 0 is .*",
                       "env_async.h: poll"),
        "writes_at_submit": ("steps that end later are those of step", r".*submit writes .*", "env_async.h: poll"),
        "keeps_back": ("steps that end later are those of step",
                       r"broken_async/Walk-v0: poll has not reported 11 of the submitted lanes within 2 s", "env_async.h: poll"),
        "breaks_a_lane": ("steps that end later are those of step", r".*it has sprained an ankle", "env_async.h: poll"),
    },
    "broken_agents": {
        "heeds_absent": ("ignores the actions of absent agents",
                         r"the action of an absent agent makes a difference: after 2 steps 'total' of lane 0 is \S+ and \S+", "env.h: step"),
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
        "writes_another_lane": ("writes no other row", r".* step writes to 'reward' in slot 0 of lane 0, .*",
                                "transform.h: apply"),
        "ignores_strides": ("respects the strides of its columns", r"columns with other strides of slots and lanes get .*",
                            "transform.h: bind"),
        "forgets_in_bind": ("continues after its columns are rebound", r"episodes do not continue after .*: after 7 steps .*",
                            "transform.h: bind"),
        "counts_for_all": ("a lane does not depend on other lanes", r"a lane among others and the same lane alone .*",
                           "transform.h: apply"),
        "counts_calls": ("calls on ranges of lanes equal one call", r"all lanes in one call and in several calls .*",
                         "transform.h: apply"),
        "shares_scratch": ("threads can transform ranges of lanes concurrently",
                           r"one thread and two concurrent threads differ: .*", "transform.h: apply"),
        "resets_all": ("a reset leaves other lanes alone", r"a reset of other lanes changes this lane: .* 'age' of lane 1 .*",
                       "transform.h: TN_TRANSFORM_RESET"),
        "leaves_spec": ("its columns are within the specs that it describes",
                        r"after 1 step in lane 0: 'age' is 5001, but its spec is age: .*", "transform.h: describe"),
        "forgets_state": ("continues after loading as if it had never stopped",
                          r"an instance that has loaded a state continues differently .*", "state.h: load"),
        "saves_address": ("equal state gives equal bytes", r"two instances with the same history save different bytes: .*",
                          "state.h: save"),
        "joins_the_first": ("learns the same from one instance and from several",
                            r"what 4 instances of one lane each have learnt differs from what one instance with these lanes .*",
                            "common.h: join"),
        "grows": ("does not grow while it runs", r"after \d+ more steps it holds \d+ more KiB of memory",
                  "transform.h: apply"),
        "wants_exact_size": ("accepts the larger structs of a newer host", r"broken_transform/age, reset: .*",
                             "types.h: struct_size"),
    },
    "broken_wrapper": {
        "refuses_envs": ("accepts an env", r"broken_wrapper/twice, attach: .*", "wrapper.h: attach"),
        "describes_anew": ("describes itself the same way each time", r"two instances with the same options describe .*",
                           "env.h: describe"),
        "binds_nothing": ("describes itself the same way each time",
                          r"broken_wrapper/twice, bind: it bound the inner env without the column 'terminated'",
                          "env.h: describe"),
        "crashes": ("begins episodes and steps", r"it crashed in step \(SIGSEGV\)", "env.h: step"),
        "resets_in_step": ("begins episodes and steps",
                           r"broken_wrapper/twice, step: it resets the inner env in step; .* needs_reset, .*",
                           "wrapper.h: step"),
        "draws_from_the_process": ("the same seeds and actions give the same bytes",
                                   r"two instances with the same seeds and actions differ: .* '(next\.)?age' .*",
                                   "env.h: TN_DETERMINISM_BITS"),
        "forgets_a_row": ("writes every row that it should", r"a row that should have been written .*: after 3 steps '(next\.)?age' .*",
                          "wrapper.h: step"),
        "writes_another_lane": ("writes no other row",
                                r".* step writes to 'reward' in slot \d of lane \d+, which this call must not write",
                                "wrapper.h: step"),
        "steps_other_lanes": ("writes no other row",
                              r"broken_wrapper/twice, step: it steps 1 lane from lane \d+ on of the inner env, and was .*",
                              "wrapper.h: step"),
        "ignores_strides": ("respects the strides of its columns", r"columns with other strides of slots and lanes get .*", "wrapper.h: bind"),
        "forgets_in_bind": ("continues after its columns are rebound", r"episodes do not continue after .* '(next\.)?age' .*", "wrapper.h: bind"),
        "counts_for_all": ("a lane does not depend on other lanes",
                           r"a lane among others and the same lane alone .*", "wrapper.h: step"),
        "counts_calls": ("calls on ranges of lanes equal one call",
                         r"all lanes in one call and in several calls differ: .*", "wrapper.h: step"),
        "shares_scratch": ("threads can step ranges of lanes concurrently",
                           r"one thread and two concurrent threads differ: .*", "wrapper.h: step"),
        "resets_all": ("a reset leaves other lanes alone", r"a reset of other lanes changes this lane: .* '(next\.)?age' .*", "wrapper.h: reset"),
        "odd_flag": ("flags are 0 or 1 and respect the episode limit", r".*'truncated' is 2", "env.h: tn_env_info"),
        "leaves_spec": ("observations and rewards are within their specs",
                        r"after 1 step in lane 0: '(next\.)?age' is 5001, but its spec is age: .*", "env.h: describe"),
        "forgets_state": ("continues after loading as if it had never stopped",
                          r"an instance that has loaded a state continues differently .*", "state.h: load"),
        "saves_address": ("equal state gives equal bytes", r"two instances with the same history save different bytes: .*",
                          "state.h: save"),
        "loads_anything": ("truncated saved state is refused", r"load accepts .*", "state.h: load"),
        "grows": ("does not grow while it runs", r"after \d+ more steps it holds \d+ more KiB of memory",
                  "wrapper.h: step"),
        "wants_exact_size": ("accepts the larger structs of a newer host", r"broken_wrapper/twice, step: .*",
                             "types.h: struct_size"),
    },
    "broken_objective": {
        "crashes": ("builds the same graph each time", r"it crashed in update \(SIGSEGV\)", "graph.h: build"),
        "builds_anew": ("builds the same graph each time",
                        r"two builds with the same options give different graphs, from line \d+ on: .*", "graph.h: build"),
        "is_no_number": ("both executors agree on losses and gradients", r"the loss 'q' of the stage 'update' is nan .* log/1 of broken_objective/regress", "graph.h: build"),
        "numbers_rows": ("the order of rows makes no difference",
                         r"the order of rows makes a difference: the loss 'q' is \S+ with the rows reversed, \S+ in the original order",
                         "fused.h: forward"),
    },
    "broken_head": {
        "leaves_spec": ("gives valid actions, in both modes",
                        r"'action' of its mode is [4567], but the env takes action: .*", "graph.h: build"),
        "grows": ("both executors act alike",
                  r"the two executors disagree: the column 'action_logits' differs by .*", "graph.h: build"),
        "looks_around": ("a lane's action does not depend on other lanes",
                         r"lane \d+ computed among \d+ lanes and alone differs in 'log_prob' by .*", "graph.h: build"),
        "says_less": ("log_prob agrees with sample about a draw",
                      r"sample says that its draw has the log-probability \S+, but log_prob says \S+", "graph.h: build"),
        "spreads_more": ("entropy is the mean of -log_prob over draws",
                         r"over 20000 draws for one observation -log_prob is \S+, but entropy \S+", "graph.h: build"),
        "is_elsewhere": ("kl of a distribution to itself is 0", r"kl from a distribution to itself is \S+",
                         "graph.h: build"),
    },
    "broken_policy": {
        "gives_another": ("gives valid actions", r"broken_policy/chooser: it gives lane \d+ the action [34], but .*",
                          "policy.h: act"),
        "draws_from_the_process": ("the same key and counter give the same actions",
                                   r"two instances with the same key, counter and observations differ: at step \d+ .*",
                                   "policy.h: tn_policy_call"),
        "forgets_a_row": ("writes every action that it should",
                          r"broken_policy/chooser: it gives lane 0 the action 72340172838076673, but .*", "policy.h: act"),
        "writes_another_lane": ("writes no other row",
                                r".* act writes to 'action' in slot \d of lane 0, which this call must not write",
                                "policy.h: act"),
        "ignores_strides": ("respects the strides of its columns",
                            r"columns with other strides of slots and lanes get other actions: .*", "policy.h: bind"),
        "forgets_in_bind": ("continues after its columns are rebound",
                            r"its actions change after columns are rebound: .*", "policy.h: bind"),
        "counts_for_all": ("a lane does not depend on other lanes",
                           r"a lane among others and the same lane alone in an instance differ: .*", "policy.h: act"),
        "counts_calls": ("calls on ranges of lanes equal one call",
                         r"all lanes in one call and in several calls differ: .*", "policy.h: act"),
        "shares_scratch": ("threads can act on ranges of lanes concurrently",
                           r"one thread and two concurrent threads differ: .*", "policy.h: act"),
        "forgets_state": ("continues after loading as if it had never stopped",
                          r"an instance that has loaded a state acts differently from the one that saved it: .*",
                          "state.h: load"),
        "grows": ("does not grow while it runs", r"after 10000 calls it holds \d+ more KiB of memory", "policy.h: act"),
        "wants_exact_size": ("accepts the larger structs of a newer host", r"broken_policy/chooser, act: .*",
                             "types.h: struct_size"),
    },
    "broken_hook": {
        "describes_anew": ("describes the same plan each time",
                           r"two instances with the same options describe different plans", "hook.h: describe"),
        "writes_past_size": ("describes the same plan each time", r".* describe writes past the struct_size .*",
                             "hook.h: describe"),
        "reports_nan": ("goes through a run, reports finite numbers and changes nothing that it reads",
                        r"of its metrics, number 0 would be nan", "hook.h: call"),
        "changes_a_column": ("goes through a run, reports finite numbers and changes nothing that it reads",
                             r"it has changed the column 'next.reward', which it may only read", "hook.h: call"),
        "changes_a_metric": ("goes through a run, reports finite numbers and changes nothing that it reads",
                             r"it has changed a metric of the run, which it may only read", "hook.h: call"),
        "reads_behind": ("goes through a run, reports finite numbers and changes nothing that it reads",
                         r"it crashed in call \(SIGSEGV\): it touched memory behind the column 'next.reward'", "hook.h: call"),
        "counts_for_all": ("the same metrics and frames give the same answers",
                           r"two instances with the same options, metrics and frames differ: .*", "hook.h: call"),
        "forgets_state": ("continues after loading as if it had never stopped",
                          r"an instance that has loaded a state differs from the one that saved it: .*", "state.h: load"),
        "grows": ("does not grow while it runs", r"after \d+ rounds it holds \d+ more KiB of memory", "hook.h: call"),
        "wants_exact_size": ("accepts the larger structs of a newer host", r"broken_hook/sum, call: .*",
                             "types.h: struct_size"),
    },
    "broken_sampler": {
        "plans_anew": ("plans batches the same way each time", r"two instances with the same options plan differently",
                       "sampler.h: plan"),
        "writes_past_size": ("plans batches the same way each time", r".* plan writes past the struct_size .*",
                             "sampler.h: plan"),
        "points_outside": ("every row is a transition that the buffer holds",
                           r"row 5 of index array 0 is slot 24 of lane \d, which is not a transition in the buffer",
                           "sampler.h: sample"),
        "weighs_nothing": ("every row is a transition that the buffer holds", r"'weight' of row 0 is 0", "sampler.h: sample"),
        "writes_behind": ("every row is a transition that the buffer holds",
                          r"it crashed in sample \(SIGSEGV\): it touched memory behind the column 'slots'",
                          "sampler.h: sample"),
        "draws_from_the_process": ("the same key and counter give the same rows",
                                   r"two instances with the same key, counter and buffer differ: .*", "sampler.h: sample"),
        "forgets_a_weight": ("writes every row that it should", r"a row that should have been written .*: 'weight' of row 2 .*",
                             "sampler.h: sample"),
        "prefers_some": ("rows of equal weight are drawn equally often",
                         r"all rows have the same weight but are not drawn equally often: chi-square of \d+ .*",
                         "sampler.h: sample"),
        "ignores_priorities": ("rows with a higher priority are drawn more often",
                               r"a transition with ten thousand times the priority .* is drawn \d+ times, others \d+ times",
                               "sampler.h: prioritise"),
        "forgets_state": ("continues after loading as if it had never stopped",
                          r"an instance that has loaded a state samples differently from the one that saved it: .*",
                          "state.h: load"),
        "grows": ("does not grow while it runs", r"after \d+ batches it holds \d+ more KiB of memory",
                  "sampler.h: sample"),
        "wants_exact_size": ("accepts the larger structs of a newer host", r"broken_sampler/choose, sample: .*",
                             "types.h: struct_size"),
    },
}

ENQUEUES = ("its enqueue functions only launch kernels", "device.h: tn_device")
IN_MEMORY = "its kernels stay within their memory"
OPENS = "opens on the emulated device"
STATE = "saved state can be loaded on another device"
NEWER = "its device functions accept the larger structs of a newer host"


def enqueues(sentence, breaks=ENQUEUES[1]):
    return ENQUEUES[0], sentence, breaks


# The same for components of broken_kernels.
COMPONENTS["broken_kernels/choose"] = {
    "cannot_open": (OPENS, "broken_kernels/choose, open: this cannot be opened", "device_sampler.h: open"),
    "finds_a_fault": (OPENS, r".* enqueue_sample launches a kernel that reports a fault \(internal error, row or lane 4\), though .*",
                      "device_sampler.h: open"),
    "waits": enqueues("enqueue_sample calls read of its device, which waits"),
    "allocates": enqueues("enqueue_sample calls alloc of its device; memory is made in open"),
    "loads": enqueues("enqueue_sample calls load of its device; kernels are loaded in open"),
    "uses_another_stream": enqueues("enqueue_sample launches a kernel on another stream than that of its call"),
    "reads_on_the_host": enqueues(r"it crashed in enqueue_sample \(SIGSEGV\): it touched its allocation of 64 bytes, which is on the "
                                  "device, outside of a kernel", "device_sampler.h: enqueue_sample"),
    "writes_behind": (IN_MEMORY, "enqueue_sample launches a kernel that writes behind the last row of the array 'weight'",
                      "device_sampler.h: tn_device_sample_call"),
    "writes_in_front": (IN_MEMORY, "enqueue_sample launches a kernel that writes in front of its allocation of 576 bytes",
                        "device_sampler.h: tn_device_sample_call"),
    "writes_input": (IN_MEMORY, "enqueue_sample launches a kernel that writes to the array 'first', which it may only read",
                     "device_sampler.h: tn_device_sample_call"),
    "no_such_slot": ("its kernels choose transitions that the buffer holds",
                     r"row 3 of index array 0 is slot 1000000 of lane \d, which is not a transition in the buffer",
                     "device_sampler.h: enqueue_sample"),
    "leaves_a_row": ("its kernels write every row that they should", "its kernels leave a row unwritten: 'weight' of row 2 is .*",
                     "device_sampler.h: enqueue_sample"),
    "chooses_otherwise": ("its kernels choose the rows of the CPU", "the CPU and the emulated device choose differently: row 0 .*",
                          "device_sampler.h: enqueue_sample"),
    "trusts_priorities": ("its kernels report priorities that are none", "the priority of row 5 was nan, but there is no fault",
                          "device_sampler.h: tn_device_priority_call"),
    "saves_otherwise": (STATE, "it saves 584 bytes on the CPU and 584 other ones on the emulated device", "state.h: save"),
    "keeps_memory": ("frees its memory on the device", "after destroy 100 bytes of the device are not freed", "plugin.h: destroy"),
    "wants_exact_size": (NEWER, "broken_kernels/choose, sample: this is not my struct", "types.h: struct_size"),
}
COMPONENTS["broken_kernels/Walk-v0"] = {
    "cannot_open": (OPENS, "broken_kernels/Walk-v0, open: this cannot be opened", "device_env.h: open"),
    "waits": enqueues("enqueue_step calls read of its device, which waits"),
    "reads_on_the_host": enqueues(r"it crashed in enqueue_step \(SIGSEGV\): it touched its allocation of 64 bytes, which is .*",
                                  "device_env.h: enqueue_step"),
    "writes_behind": (IN_MEMORY, "enqueue_reset launches a kernel that writes behind the column 'observation'",
                      "device_env.h: tn_device_env_call"),
    "steps_all": (IN_MEMORY, "enqueue_step launches a kernel that writes to the column 'observation' of lane 0, which this call must not write",
                  "device_env.h: tn_device_env_call"),
    "resets_all": (IN_MEMORY, "enqueue_reset launches a kernel that writes to the column 'observation' of lane 1, which .*",
                   "device_env.h: tn_device_env_call"),
    "leaves_a_row": ("its kernels write every row that they should", "its kernels leave a row unwritten: after 0 steps 'observation' .*",
                     "device_env.h: enqueue_step"),
    "chooses_otherwise": ("its kernels give the rows of the CPU", "the CPU and the emulated device differ: after 1 step 'reward' of lane 0 .*",
                          "device_env.h: enqueue_step"),
    "hides_faults": ("its kernels report actions that do not exist",
                     "after 'action' of lane 4 was -1: there is no fault, but the CPU refuses it", "device_env.h: enqueue_step"),
    "saves_otherwise": (STATE, "the CPU and the emulated device save different bytes: 451 and 455", "state.h: save"),
    "keeps_memory": ("frees its memory on the device", "after destroy 100 bytes of the device are not freed", "plugin.h: destroy"),
    "wants_exact_size": (NEWER, "broken_kernels/Walk-v0, step: this is not my struct", "types.h: struct_size"),
}

# With a driver whose GPU runs no kernels.
ON_A_GPU = {
    "choose": ("chooses the same rows on a GPU", "rows differ: row 0 of index array 0 is .*", "device_sampler.h: enqueue_sample"),
    "Walk-v0": ("gives the same rows on a GPU", "the GPU differs .*: after 3 steps 'observation' of lane 0", "device_env.h: enqueue_step"),
}

# How many checks each skips: of memories, agents, pictures, goals and steps that end later, and of a GPU.
SKIPPED = {"broken_head": 1, "broken_env": 3, "broken_agents": 3, "broken_goals": 3, "broken_async": 3, "broken_kernels/choose": 1, "broken_kernels/Walk-v0": 5}

# What wires those that need to be wired.
MANIFESTS = {name: ("--manifest", Path(__file__).parent / f"{name}.toml") for name in ("broken_head", "broken_objective")}

# What a sanitizer's own allocator and handlers get in the way of.
NOT_SANITIZED = {"uses_fresh_memory", "grows", "crashes", "aborts", "writes_far_behind", "writes_behind", "reads_behind", "writes_past_size", "trusts_actions",
                 "aborts_at_the_end", "hangs", "spins", "reads_on_the_host"}


def words_for(name):
    """The file and the options of a library of COMPONENTS, or of one of its components."""
    library, _, component = name.partition("/")
    return FIXTURES / "contract" / f"{library}.so", *(("--component", component) if component else ()), *MANIFESTS.get(library, ())


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
            words = words_for(library)
            code, report = checked(*words)
            self.assertEqual((code, failures(report)), (0, {}))
            self.assertEqual(report["skipped"], SKIPPED.get(library, 0))
            for fault, expected in faults.items():
                if not possible(fault):
                    continue
                with self.subTest(fault):
                    timeout = 1 if "within 1 s" in expected[1] else 60  # what does not hang may take its time on a busy machine
                    code, report = checked(*words, "--only", expected[0], "--set", f"fault={fault}", "--timeout", timeout)
                    self.assertEqual(code, 3)
                    self.expect(fault, expected, report)

    def test_on_a_gpu(self):
        for component, expected in ON_A_GPU.items():
            with self.subTest(component):
                code, report = checked(*words_for(f"broken_kernels/{component}"), LD_LIBRARY_PATH=os.environ["FAKE_DRIVER"])
                self.assertEqual((code, report["failed"]), (3, 1))
                self.expect("", expected, report)
            for fault in ("uses_the_default_stream", "waits_by_itself"):
                with self.subTest(component, fault=fault):
                    words = (*words_for(f"broken_kernels/{component}"), "--set", f"fault={fault}")
                    sentence = (r"enqueue_(sample|step) waits, allocates or uses the default stream by functions of the driver "
                                r"\(cuda: capturing work failed: FAKE_INVALIDATED\)")  # fmt: skip
                    code, report = checked(*words, LD_LIBRARY_PATH=os.environ["FAKE_DRIVER"])
                    self.assertEqual((code, report["failed"]), (3, 1))
                    self.expect("", (expected[0], sentence, expected[2]), report)

    def test_what_has_no_compiled_form_breaks_nothing(self):
        code, report = checked(*words_for("broken_head"), "--set", "fault=loops_in_a_loop")
        said = {row["check"]: row["sentence"] for row in report["checks"] if row["outcome"] == "skip"}
        self.assertEqual((code, failures(report)), (0, {}))
        self.assertEqual(said["both executors act alike"],
                         "it has no compiled form, so the reference executor computes it: the program 'act' cannot be compiled: "
                         "a scan inside a scan of broken_head/chooser cannot be compiled")

    def test_without_kernels_for_the_device(self):
        code, report = checked(*words_for("broken_kernels/choose"), "--set", "fault=has_no_kernels")
        said = {row["check"]: row["sentence"] for row in report["checks"] if row["outcome"] == "skip"}
        self.assertEqual(code, 0)
        self.assertEqual(said[OPENS], "broken_kernels/choose, open: there are no kernels for it")
        self.assertEqual(said[NEWER], f"not reached: '{OPENS}' was skipped")

    def test_every_check_can_fail(self):
        can_fail = {check for check, _, _ in [*FILES.values(), *ON_A_GPU.values()]}
        can_fail |= {check for faults in COMPONENTS.values() for check, _, _ in faults.values()}
        can_fail.add("sequences give what single steps give")  # wired_test.py has a policy that does not
        existing = set()
        for library in COMPONENTS:
            existing |= {row["check"] for row in checked(*words_for(library))[1]["checks"]}
        self.assertEqual(existing - can_fail, set())


if __name__ == "__main__":
    unittest.main()
