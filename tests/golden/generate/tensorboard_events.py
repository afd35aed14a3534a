# SPDX-License-Identifier: Apache-2.0
# Peers: the Python packages tensorboard 2.21.0 (its record writer and protocol buffers, and the reader of its web page)
# and protobuf 7.36.2.
#
#   python tensorboard_events.py write ../tensorboard.tfevents   the bytes that our writer must make
#   python tensorboard_events.py hparams ../tensorboard_hparams.tfevents   the same, of values of a manifest
#   python tensorboard_events.py histograms ../tensorboard_histograms.tfevents   the same, of histograms
#   python tensorboard_events.py pictures ../tensorboard_pictures.tfevents   the same, of pictures
#   python tensorboard_events.py check RUN                        reads RUN/tensorboard and compares it with metrics.jsonl and the manifest
import json
import math
import struct
import sys
import tomllib

import numpy
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.hparams import metadata, plugin_data_pb2
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


def histogram(low, width, counts):
    limits = [low + i * width for i in range(len(counts))]
    middles = [low + (i - 0.5) * width for i in range(len(counts))]
    return summary_pb2.HistogramProto(
        min=low - width, max=limits[-1], num=sum(counts), sum=sum(n * x for n, x in zip(counts, middles)),
        sum_squares=sum(n * x * x for n, x in zip(counts, middles)), bucket_limit=limits, bucket=counts)  # fmt: skip


def histograms(path):
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        first = scalars(1700000001.0, 1024, train__loss=0.125)
        first.summary.value.add(tag="hook/w", histo=histogram(-1, 1, [1, 20, 7, 0]))
        second = scalars(1700000002.0, 2048)
        second.summary.value.add(tag="hook/w", histo=histogram(-1, 1, [0, 0, 0, 0]))
        second.summary.value.add(tag="hook/v", histo=histogram(0, 1, [2, 3, 5]))
        for event in (first, second):
            writer.write(event.SerializeToString())
        writer.flush()


def pictures(path):
    event = event_pb2.Event(wall_time=1700000001.0, step=1024)
    event.summary.value.add(tag="eval/video", image=summary_pb2.Summary.Image(height=400, width=600, colorspace=3, encoded_image_string=b"\x89PNG\r\n" + bytes(300)))
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        writer.write(event.SerializeToString())
        writer.flush()


def hparams(path):
    info = plugin_data_pb2.SessionStartInfo(start_time_secs=1700000000.25)
    for key, value in {"env.plugin": "a/b", "eval.video": False, "train.batch": 256.0}.items():
        where = info.hparams[key]
        if isinstance(value, bool):
            where.bool_value = value
        elif isinstance(value, str):
            where.string_value = value
        else:
            where.number_value = value
    own = metadata.create_summary_metadata(plugin_data_pb2.HParamsPluginData(session_start_info=info))
    summary = summary_pb2.Summary()
    summary.value.add(tag=metadata.SESSION_START_INFO_TAG, metadata=own, tensor=metadata.NULL_TENSOR)
    event = event_pb2.Event(wall_time=1700000000.25, summary=summary)
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        writer.write(event.SerializeToString(deterministic=True))
        writer.flush()


def flat(key, value):
    if isinstance(value, dict):
        return {name: each for inner in value for name, each in flat(f"{key}.{inner}" if key else inner, value[inner]).items()}
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return {name: each for at, inner in enumerate(value) for name, each in flat(f"{key}.{at}", inner).items()}
    return {key: value}


def check_hparams(run, accumulator):
    """Every value of the manifest is there; lists are texts."""
    content = accumulator.SummaryMetadata(metadata.SESSION_START_INFO_TAG).plugin_data.content
    found = metadata.parse_session_start_info_plugin_data(content).hparams
    with open(f"{run}/manifest.lock.toml", "rb") as file:
        manifest = flat("", tomllib.load(file))
    assert found.keys() == manifest.keys(), found.keys() ^ manifest.keys()
    for key, value in manifest.items():
        kind = found[key].WhichOneof("kind")
        seen = getattr(found[key], kind)
        assert kind == "string_value" if isinstance(value, list) else seen == value, (key, seen, value)
    print(run, "has the same", len(manifest), "values of its manifest in both")


def check_histograms(run, records, accumulator):
    """Each histogram has the counts of the records. Returns the names of the records that are parts of one."""
    names = list(records[0])
    parts = set()
    for tag in accumulator.Tags()["histograms"]:
        own = [name for name in names if name.startswith(tag + "/") and name[len(tag) + 1 :].split("/")[0] in ("below", "bin", "above")]
        wanted = [(r["frames"], [float(r[name]) for name in own]) for r in records if r[own[0]] is not None]
        found = [(event.step, list(event.histogram_value.bucket)) for event in accumulator.Histograms(tag)]
        assert found == wanted, (tag, found[:3], wanted[:3])
        parts.update(own)
    print(run, "has the same", len(accumulator.Tags()["histograms"]), "histograms in both")
    return parts


def check_pictures(run, accumulator):
    """Each video is an animated PNG of the size that the event says."""
    for tag in accumulator.Tags()["images"]:
        for event in accumulator.Images(tag):
            png = event.encoded_image_string
            assert png.startswith(b"\x89PNG") and b"acTL" in png[:64] and png.endswith(b"IEND\xaeB`\x82"), (tag, event.step)
            assert struct.unpack(">II", png[16:24]) == (event.width, event.height), (tag, event.step)
        print(run, "has", len(accumulator.Images(tag)), "pictures of", tag)


def check(run):
    accumulator = event_accumulator.EventAccumulator(f"{run}/tensorboard", size_guidance={"scalars": 0, "tensors": 0, "histograms": 0, "images": 0})
    accumulator.Reload()
    with open(f"{run}/metrics.jsonl") as file:
        records = [json.loads(line) for line in file]
    parts = check_histograms(run, records, accumulator)
    for tag in [key for key in records[0] if key != "frames" and key not in parts]:
        wanted = [(r["frames"], numpy.float32(r[tag])) for r in records if r[tag] is not None]
        found = []
        if tag in accumulator.Tags()["scalars"]:
            found = [(event.step, numpy.float32(event.value)) for event in accumulator.Scalars(tag)]
        assert found == wanted, (tag, found, wanted)
    print(run, "has the same", len(records), "records in both")
    check_pictures(run, accumulator)
    check_hparams(run, accumulator)


if __name__ == "__main__":
    {"write": write, "hparams": hparams, "histograms": histograms, "pictures": pictures, "check": check}[sys.argv[1]](sys.argv[2])
