"""What the viewer ought to show, computed in Python from what is written in a record."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Record = dict[str, Any]
Numbers = NDArray[np.float64]


def named(record: Record, name: str) -> Record:
    return next(look for look in record["looks"] if look["name"] == name)


def weights(record: Record, look: Record, head: int | str) -> Numbers:
    """Rows × columns, between pieces: of one head, or the mean or highest of all."""
    every = record["arrays"][look["weights"]] / 65535
    if head == "mean":
        return every.mean(axis=0)
    return every.max(axis=0) if head == "max" else every[int(head)]


def units(text: Record, *, pieces: bool) -> list[list[int]]:
    """The pieces of each unit: of each word, then those that belong to none; or each alone."""
    if pieces:
        return [[piece] for piece in range(len(text["pieces"]))]
    owned = {piece for word in text["word_pieces"] for piece in word}
    alone = [[piece] for piece in range(len(text["pieces"])) if piece not in owned]
    return [*text["word_pieces"], *alone]


def axes(record: Record, kind: str, *, pieces: bool) -> tuple[list[list[int]], list[list[int]]]:
    said = units(record["target"], pieces=pieces)
    if kind == "past":
        last = len(record["target"]["pieces"]) - 1
        given = [[piece + 1 for piece in unit if piece < last] for unit in said]
        return said, [[0], *(unit for unit in given if unit)]
    source = record["source"]
    if source["kind"] == "image":
        read = [[place] for place in range(source["rows"] * source["columns"])]
    else:
        read = units(source, pieces=pieces)
    return (read, read) if kind == "reading" else (said, read)


def chart(record: Record, name: str, head: int | str, shift: int, *, pieces: bool) -> Numbers:
    """Between units: the sum over what is looked at, the mean over what looks; NaN: no row."""
    look = named(record, name)
    fine = weights(record, look, head)
    rows, columns = axes(record, look["kind"], pieces=pieces)
    made = np.full((len(rows), len(columns)), np.nan)
    for r, row in enumerate(rows):
        read = [piece + shift for piece in row if piece + shift < len(fine)]
        if read:
            made[r] = [fine[np.ix_(read, column)].sum(axis=1).mean() for column in columns]
    return made


def best(record: Record) -> tuple[str, int | str, int]:
    """The look, head and shift that a record is first shown by."""
    pointer, walk, looks = record["pointer"], record["walk"], record["looks"]
    if not looks:
        return "", "mean", 0
    name = pointer["look"] if pointer else walk["look"] if walk else looks[-1]["name"]
    head = (pointer or walk or {"head": None})["head"]
    alone = named(record, name)["heads"] == 1
    return (
        name,
        0 if alone else "mean" if head is None else head,
        (pointer or {"shift": 0})["shift"],
    )


def probabilities(record: Record) -> Numbers:
    """Of each piece that was said."""
    return np.exp([step["logp"] for step in record["steps"]])


def entropy(rows: Numbers) -> Numbers:
    """In bits, of each row."""
    return -np.where(rows > 0, rows * np.log2(np.where(rows > 0, rows, 1)), 0).sum(axis=-1)


def diagonality(fine: Numbers) -> float:
    """1 − the mean way, as a share of the text, from a row's own place to where it looks."""
    rows, columns = fine.shape
    along = np.arange(rows) / max(1, rows - 1)
    across = np.arange(columns) / max(1, columns - 1)
    return float(np.mean(1 - (fine * np.abs(across - along[:, None])).sum(axis=1)))


def agreement(record: Record, name: str, head: int | str, shift: int, links: Any) -> float:
    """F1 of the word links that a head's highest weights make."""
    shown = chart(record, name, head, shift, pieces=False)
    words = len(record["target"]["words"]), len(record["source"]["words"])
    found = {
        (int(np.argmax(row)), r) for r, row in enumerate(shown[: words[0]]) if row[0] == row[0]
    }
    found = {(i, j) for i, j in found if i < words[1]}
    wanted = {(i, j) for i, j in links}
    return 2 * len(found & wanted) / max(1, len(found) + len(wanted))
