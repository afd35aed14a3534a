#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs a run to Weights & Biases, with your own Python and its package wandb.

    venv/bin/python to_wandb.py runs/first              # while it runs, or afterwards
    WANDB_MODE=offline venv/bin/python to_wandb.py DIR   # without an account; `wandb sync` sends it later

It ends with the run. Started again, it goes on where it stood, in the same run of W&B (offline: in another part of it, which
`wandb sync` puts together).
"""

import shutil
import sys
import uuid
from pathlib import Path

from tail import arguments, follow, manifest_of

try:
    import wandb
except ModuleNotFoundError:
    sys.exit("error: this Python has no package wandb; install it with: pip install wandb")


def main():
    given, tail = arguments(__doc__, "wandb")
    # Offline runs cannot be resumed, but parts with the same id become one run when they are synced.
    tail.state["id"] = tail.state["id"] or uuid.uuid4().hex[:8]
    run = wandb.init(project=given.project, name=given.name, id=tail.state["id"], resume="allow", dir=str(given.run),
                     config=manifest_of(given.run))
    tail.save()
    # The run's position is the axis, because a step of W&B cannot be repeated.
    run.define_metric("position")
    run.define_metric("*", step_metric="position")

    def log(position, numbers):
        run.log({"position": position, **numbers})

    def log_video(position, path):
        if path.suffix == ".mp4":
            run.log({"position": position, "video": wandb.Video(str(path), format="mp4")})
        else:  # W&B knows no animated PNG; it sends whatever is in the run's folder
            target = Path(run.dir) / "videos" / f"{position}{path.suffix}"
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, target)

    follow(tail, log, log_video, given.every, given.once)
    run.finish()


if __name__ == "__main__":
    main()
