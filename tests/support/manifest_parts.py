# SPDX-License-Identifier: Apache-2.0
"""Parts of manifests that many tests have."""


def ppo_tables(hidden=None, actor="", value=""):
    """The two networks and the objective of PPO for discrete actions: both have hidden layers as wide as that (None: the plugins'
    own), and lines of their own."""
    layers = f"hidden = [{hidden}]\n" if hidden else ""
    return (f'\n[policy.actor]\nplugin = "mlp/categorical"\n{layers}{actor}'
            f'\n[policy.value]\nplugin = "mlp/value"\n{layers}{value}'
            '\n[objective]\nplugin = "ppo/ppo"\n')  # fmt: skip
