"""The numbers that the viewer must show, computed in Python from a record."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Record = dict[str, Any]
Numbers = NDArray[np.float64]


def find_attention(record: Record, name: str) -> Record:
    return next(each for each in record["attentions"] if each["name"] == name)


def weights(record: Record, attention: Record, head: int | str) -> Numbers:
    """Weights between pieces: of one head, or the mean or maximum of all."""
    every = record["arrays"][attention["weights"]] / 65535
    if head == "mean":
        return every.mean(axis=0)
    return every.max(axis=0) if head == "max" else every[int(head)]


def units(text: Record, *, pieces: bool) -> list[list[int]]:
    """The pieces of each word, then each piece outside words; or each piece."""
    if pieces:
        return [[piece] for piece in range(len(text["pieces"]))]
    in_words = {piece for word in text["word_pieces"] for piece in word}
    alone = [[piece] for piece in range(len(text["pieces"])) if piece not in in_words]
    return [*text["word_pieces"], *alone]


def axes(record: Record, kind: str, *, pieces: bool) -> tuple[list[list[int]], list[list[int]]]:
    target = units(record["target"], pieces=pieces)
    if kind == "self":
        last = len(record["target"]["pieces"]) - 1
        prefix = [[piece + 1 for piece in unit if piece < last] for unit in target]
        return target, [[0], *(unit for unit in prefix if unit)]
    source = record["source"]
    if source["kind"] == "image":
        columns = [[region] for region in range(source["rows"] * source["columns"])]
    else:
        columns = units(source, pieces=pieces)
    return (columns, columns) if kind == "encoder" else (target, columns)


def chart(record: Record, name: str, head: int | str, shift: int, *, pieces: bool) -> Numbers:
    """Weights between units: the sum over columns, the mean over rows; NaN: no row."""
    attention = find_attention(record, name)
    fine = weights(record, attention, head)
    rows, columns = axes(record, attention["kind"], pieces=pieces)
    matrix = np.full((len(rows), len(columns)), np.nan)
    for r, row in enumerate(rows):
        steps = [piece + shift for piece in row if piece + shift < len(fine)]
        if steps:
            matrix[r] = [fine[np.ix_(steps, column)].sum(axis=1).mean() for column in columns]
    return matrix


def default_selection(record: Record) -> tuple[str, int | str, int]:
    """The attention, head and shift that the viewer shows first."""
    alignment_head, trace = record["alignment_head"], record["head_trace"]
    if not record["attentions"]:
        return "", "mean", 0
    shown = alignment_head or trace
    name = shown["attention"] if shown else record["attentions"][-1]["name"]
    head = shown["head"] if shown else None
    if find_attention(record, name)["heads"] == 1:
        head = 0
    shift = alignment_head["shift"] if alignment_head else 0
    return name, "mean" if head is None else head, shift


def probabilities(record: Record) -> Numbers:
    """The probability of each target piece."""
    return np.exp([step["logp"] for step in record["steps"]])


def entropy(rows: Numbers) -> Numbers:
    """The entropy of each row, in bits."""
    return -np.where(rows > 0, rows * np.log2(np.where(rows > 0, rows, 1)), 0).sum(axis=-1)


def diagonality(fine: Numbers) -> float:
    """1 − the mean distance, as a share of the text, from the diagonal to the attended position."""
    rows, columns = fine.shape
    along = np.arange(rows) / max(1, rows - 1)
    across = np.arange(columns) / max(1, columns - 1)
    return float(np.mean(1 - (fine * np.abs(across - along[:, None])).sum(axis=1)))


def agreement(record: Record, name: str, head: int | str, shift: int, links: Any) -> float:
    """F1 of the word links of a head's highest weights."""
    matrix = chart(record, name, head, shift, pieces=False)
    words = len(record["target"]["words"]), len(record["source"]["words"])
    found = {
        (int(np.argmax(row)), r) for r, row in enumerate(matrix[: words[0]]) if row[0] == row[0]
    }
    found = {(i, j) for i, j in found if i < words[1]}
    expected = {(i, j) for i, j in links}
    return 2 * len(found & expected) / max(1, len(found) + len(expected))
