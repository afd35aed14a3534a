#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The TPE of `tenon sweep` beside Optuna's on Branin and Hartmann6, at the same numbers of trials, with several seeds.

    python3 -m venv /tmp/optuna && /tmp/optuna/bin/pip install optuna==5.0.0
    ninja -C build/release tenon-bench-search
    /tmp/optuna/bin/python bench/search_peer.py build/release/bin/tenon-bench-search

Prints a row for each function and number of trials: the median, over seeds, of how far the best value is above the
minimum. Optuna has its defaults, with which it sees all dimensions together as ours does, and one dimension at a time."""

import math
import statistics
import subprocess
import sys
import warnings

import optuna

SEEDS = 20
TRIALS = (30, 60, 100)
HEIGHTS = (1.0, 1.2, 3.0, 3.2)
WIDTHS = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
CENTRES = (
    (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
    (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650),
    (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
)


def branin(x, y):
    bowl = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6
    return bowl * bowl + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def hartmann6(*at):
    distances = (sum(w * (x - c) ** 2 for w, c, x in zip(widths, centres, at)) for widths, centres in zip(WIDTHS, CENTRES))
    return -sum(height * math.exp(-distance) for height, distance in zip(HEIGHTS, distances))


FUNCTIONS = {
    "branin": (branin, [(-5, 10), (0, 15)], 0.397887),
    "hartmann6": (hartmann6, [(0, 1)] * 6, -3.32237),
}


def by_optuna(name, trials, **options):
    function, ranges, _ = FUNCTIONS[name]

    def objective(trial):
        return function(*(trial.suggest_float(f"x{i}", low, high) for i, (low, high) in enumerate(ranges)))

    found = []
    for seed in range(SEEDS):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, **options))
        study.optimize(objective, n_trials=trials)
        found.append(study.best_value)
    return found


def by_tenon(program, name, search, trials):
    done = subprocess.run([program, name, search, str(trials), str(SEEDS)], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def main(program):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    print(f"medians of {SEEDS} seeds: best value above the minimum; Optuna {optuna.__version__}")
    print("| function | trials | random | tenon TPE | Optuna TPE | Optuna TPE, univariate |")
    print("|---|---|---|---|---|---|")
    for name, (_, _, least) in FUNCTIONS.items():
        for trials in TRIALS:
            columns = [by_tenon(program, name, "random", trials), by_tenon(program, name, "tpe", trials)]
            columns += [by_optuna(name, trials), by_optuna(name, trials, multivariate=False)]
            cells = [f"{statistics.median(column) - least:.3f}" for column in columns]
            print(f"| {name} | {trials} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
