#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs a run to MLflow, with your own Python and its package mlflow.

    venv/bin/python to_mlflow.py runs/first                                     # to MLflow's default, files or a database here
    MLFLOW_TRACKING_URI=sqlite:///mlflow.db venv/bin/python to_mlflow.py DIR

It ends with the run. Started again, it goes on where it stood, in the same run of MLflow.
"""

import json
import sys
import time

from tail import arguments, follow, manifest_of

try:
    import mlflow
    from mlflow.entities import Metric, Param
except ModuleNotFoundError:
    sys.exit("error: this Python has no package mlflow; install it with: pip install mlflow")

MOST = 100  # parameters in a request
LONGEST = 500  # characters of a parameter


def main():
    given, tail = arguments(__doc__, "mlflow")
    mlflow.set_experiment(given.project)
    client = mlflow.MlflowClient()
    with mlflow.start_run(run_id=tail.state["id"], run_name=None if tail.state["id"] else given.name) as run:
        own = run.info.run_id
        if tail.state["id"] is None:
            params = [Param(key, json.dumps(value)[:LONGEST]) for key, value in manifest_of(given.run).items()]
            for at in range(0, len(params), MOST):
                client.log_batch(own, params=params[at:at + MOST])
            tail.state["id"] = own
            tail.save()

        def log(position, numbers):
            now = int(time.time() * 1000)
            client.log_batch(own, metrics=[Metric(name, float(value), now, position) for name, value in numbers.items()])

        def log_video(position, path):
            client.log_artifact(own, str(path), f"videos/{position}")

        follow(tail, log, log_video, given.every, given.once)


if __name__ == "__main__":
    main()
