# SPDX-License-Identifier: Apache-2.0
"""The metrics of a run's folder as columns."""

import json
from pathlib import Path


def records_of(folder):
    """The complete records of metrics.jsonl. A last line that is still being written is left out."""
    path = Path(folder) / "metrics.jsonl"
    if not path.is_file():
        raise FileNotFoundError(f"{folder} is no run: it has no metrics.jsonl")
    lines = path.read_bytes().split(b"\n")[:-1]
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(json.loads(line))
        except ValueError as error:
            raise ValueError(f"{path}:{number}: this line is no record: {error}") from None
    return records


def read_metrics(folder, pandas=False):
    """A dictionary of numpy arrays, or a pandas frame: one row a record, NaN for metrics that a record does not have."""
    records = records_of(folder)
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = {name: [record.get(name) for record in records] for name in names}
    if pandas:
        import pandas as pd

        return pd.DataFrame(columns)
    import numpy as np

    return {name: column_of(values, np) for name, values in columns.items()}


def column_of(values, np):
    if all(value is None or isinstance(value, (int, float)) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(values, dtype=object)
