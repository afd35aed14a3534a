# SPDX-License-Identifier: Apache-2.0
# Peers: the Python packages tensorboard 2.21.0 (its record writer and protocol buffers, and the reader of its web page)
# and protobuf 7.36.2.
#
#   python tensorboard_events.py write ../tensorboard.tfevents   the bytes that our writer must make
#   python tensorboard_events.py check RUN                        reads RUN/tensorboard and compares it with metrics.jsonl
import json
import math
import sys

import numpy
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter


def scalars(wall_time, step, **values):
    summary = summary_pb2.Summary()
    for tag, value in values.items():
        summary.value.add(tag=tag.replace("__", "/"), simple_value=value)
    return event_pb2.Event(wall_time=wall_time, step=step, summary=summary)


def write(path):
    start = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        for event in (
            event_pb2.Event(wall_time=1700000000.25, file_version="brain.Event:2"),
            event_pb2.Event(wall_time=1700000000.5, step=1001, session_log=start),
            scalars(1700000001.0, 1024, rollout__ep_rew_mean=21.5, train__loss=0.125),
            scalars(1700000002.0, 300000000000, train__loss=-math.inf),
        ):
            writer.write(event.SerializeToString())
        writer.flush()


def check(run):
    accumulator = event_accumulator.EventAccumulator(f"{run}/tensorboard", size_guidance={"scalars": 0, "tensors": 0})
    accumulator.Reload()
    with open(f"{run}/metrics.jsonl") as file:
        records = [json.loads(line) for line in file]
    for tag in [key for key in records[0] if key != "frames"]:
        wanted = [(r["frames"], numpy.float32(r[tag])) for r in records if r[tag] is not None]
        found = []
        if tag in accumulator.Tags()["scalars"]:
            found = [(event.step, numpy.float32(event.value)) for event in accumulator.Scalars(tag)]
        assert found == wanted, (tag, found, wanted)
    print(run, "has the same", len(records), "records in both")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
