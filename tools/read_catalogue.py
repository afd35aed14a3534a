# SPDX-License-Identifier: Apache-2.0
"""docs/catalogue.toml as items and limits. Its first lines say what the fields are."""

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


def read(root):
    """All sections with their titles, all items and all limits, each in the order of the file."""
    whole = tomllib.loads((root / FILE).read_text(encoding="utf-8"))
    return whole["sections"], [Item(**each) for each in whole["item"]], [Limit(**each) for each in whole["limit"]]
