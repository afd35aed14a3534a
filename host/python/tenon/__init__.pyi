# SPDX-License-Identifier: Apache-2.0
"""The types of the package."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, Literal, overload

import gymnasium
import numpy as np
import pandas as pd

PROGRAM: Path

class TenonError(RuntimeError):
    code: int
    def __init__(self, code: int, text: str) -> None: ...

class Run:
    folder: Path
    frames: int
    updates: int
    result: dict[str, Any]

def manifests() -> Path: ...
@overload
def read_metrics(folder: str | PathLike[str], pandas: Literal[False] = False) -> dict[str, np.ndarray]: ...
@overload
def read_metrics(folder: str | PathLike[str], pandas: Literal[True]) -> pd.DataFrame: ...
def run(
    manifest: str | PathLike[str],
    world: str | PathLike[str] | None = None,
    *,
    env: str | PathLike[str] | dict[str, Any] | None = None,
    out: str | PathLike[str] | None = None,
    callback: Callable[[dict[str, Any]], bool | None] | None = None,
    every: float = 0.1,
    **sets: Any,
) -> Run: ...

class Policy:
    def begin(self, lanes: Any = None) -> None: ...
    def __call__(self, observation: Any) -> Any: ...

def load_policy(
    folder: str | PathLike[str], checkpoint: str | int | None = None, actions: str | None = None, lanes: int = 1
) -> Policy: ...

class Env(gymnasium.vector.VectorEnv[Any, Any, Any]):
    def __init__(self, env: str | PathLike[str], lanes: int = 1, **options: Any) -> None: ...

class ParallelEnv:
    possible_agents: list[str]
    agents: list[str]
    def __init__(self, env: str | PathLike[str], **options: Any) -> None: ...
    def observation_space(self, agent: str) -> Any: ...
    def action_space(self, agent: str) -> Any: ...
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]: ...
    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]: ...
    def state(self) -> np.ndarray: ...
    def close(self) -> None: ...
