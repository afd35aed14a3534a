# SPDX-License-Identifier: Apache-2.0
"""docs/catalogue.toml as items, limits and features that TorchRL has not. Its first lines say what the fields are."""

import tomllib
from dataclasses import dataclass

FILE = "docs/catalogue.toml"
STATES = ("works", "partial", "absent")


@dataclass
class Item:
    section: str
    item: str
    state: str
    reason: str = ""
    tests: tuple = ()  # "FILE: CASE"

    @property
    def name(self):
        return f"{self.section}: {self.item}"


@dataclass
class Limit:
    subject: str
    limit: str
    items: tuple = ()  # names of items that it is about


@dataclass
class Beyond:
    """What TorchRL has not."""

    feature: str
    tests: tuple  # "FILE: CASE"


@dataclass
class Catalogue:
    sections: dict  # titles by number
    items: list
    limits: list
    beyond: list


def read(root):
    """Everything in the order of the file."""
    whole = tomllib.loads((root / FILE).read_text(encoding="utf-8"))
    lists = ([kind(**each) for each in whole.get(name, [])] for name, kind in (("item", Item), ("limit", Limit), ("beyond", Beyond)))
    return Catalogue(whole["sections"], *lists)
