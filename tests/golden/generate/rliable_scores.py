# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for host/commands/shared/compare: aggregates of scores, performance profiles, probabilities of improvement and
bootstrap intervals, from rliable, the package of Agarwal et al. (2021, arXiv:2108.13264). Its intervals come from other
random numbers than ours, so they are equal only within what 50,000 draws leave open.

Made with rliable 1.2.0, numpy 2.4.6, scipy 1.17.1, arch 7.2.0. Command, from the root of the repository:
    python tests/golden/generate/rliable_scores.py > tests/golden/rliable_scores.txt
"""

import numpy as np
from rliable import library, metrics

# Name, seed, runs of x, runs of y, tasks, and whether scores are rounded, so that some are equal.
CASES = [
    ("five_runs", 1, 5, 5, 1, False),
    ("one_run", 2, 1, 1, 1, False),
    ("ties", 3, 10, 7, 3, True),
    ("atari_like", 4, 5, 5, 26, False),
    ("two_runs", 5, 2, 3, 2, False),
    ("equal", 6, 4, 4, 2, False),
]
TAUS = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5]
GAMMA = 1.0


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in np.asarray(values).reshape(-1)))


def scores(name, values):
    print(name, values.shape[1], values.shape[0])
    for task in values.T:
        line(" ", task)


def main():
    print("# rliable 1.2.0")
    print("# made by: python tests/golden/generate/rliable_scores.py > tests/golden/rliable_scores.txt")
    for name, seed, runs_x, runs_y, tasks, rounded in CASES:
        random = np.random.RandomState(seed)
        x = random.normal(0.6, 0.5, (runs_x, tasks))
        y = random.normal(0.4, 0.3, (runs_y, tasks))
        if rounded:
            x, y = np.round(x, 1), np.round(y, 1)
        if name == "equal":
            y = x.copy()
        print("case", name)
        scores("x", x)
        scores("y", y)
        line("iqm", metrics.aggregate_iqm(x))
        line("median", metrics.aggregate_median(x))
        line("mean", metrics.aggregate_mean(x))
        line("gap", metrics.aggregate_optimality_gap(x, GAMMA))
        line("taus", TAUS)
        line("profile", library.score_distributions(x, np.array(TAUS)))
        line("better", metrics.probability_of_improvement(x, y))
        if runs_x > 1:
            np.random.seed(0)  # its bootstrap draws from numpy's global generator
            _, iqm = library.get_interval_estimates({"x": x}, lambda s: np.array([metrics.aggregate_iqm(s)]), reps=50000)
            line("iqm_interval", iqm["x"])
            both = {"x,y": [x, y]}
            better = lambda a, b: np.array([metrics.probability_of_improvement(a, b)])
            _, interval = library.get_interval_estimates(both, better, reps=5000)
            line("better_interval", interval["x,y"])


main()
