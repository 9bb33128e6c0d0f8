# SPDX-License-Identifier: Apache-2.0
"""Bytes that an operation has to move through device memory, and the time that this takes at least: no measurement.
What the bytes are is as in the comparison with CUB (bench/README.md)."""

from fractions import Fraction
from typing import Dict, List, NamedTuple

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8, "16 bytes": 16}
KEY, FLAG, LENGTH = 4, 1, 4  # bytes: keys beside items, flags, lengths of runs


class Constants(NamedTuple):
    """What the library and the comparison are compiled with."""
    digit_bits: int  # of a pass of the radix sort
    shares: Dict[str, int]  # per cent selected: of 256 items
    runs: List[int]  # lengths of runs
    key_run: int  # and of keys beside items


class Floor(NamedTuple):
    operation: str
    items: str
    read: Fraction  # bytes for each item
    written: Fraction

    @property
    def bytes(self) -> Fraction:
        return self.read + self.written

    def seconds(self, n: int, bandwidth: float) -> float:
        return float(self.bytes * n) / bandwidth


def scan(items: str) -> Floor:
    size = Fraction(SIZES[items])
    return Floor("scan", items, size, size)


def scan_by_key(items: str) -> Floor:
    size = SIZES[items]
    return Floor("scan by key, keys u32", items, Fraction(KEY + size), Fraction(size))


def select(items: str, percent: str, of_256: int) -> Floor:
    size = SIZES[items]
    return Floor(f"select if, {percent} %", items, Fraction(size), Fraction(size * of_256, 256))


def select_flagged(items: str) -> Floor:
    size = SIZES[items]
    return Floor("select flagged, 50 %", items, Fraction(size + FLAG), Fraction(size, 2))


def partition(items: str) -> Floor:
    size = Fraction(SIZES[items])
    return Floor("partition", items, size, size)


def unique(items: str, run: int) -> Floor:
    size = SIZES[items]
    return Floor(f"unique, runs of {run}", items, Fraction(size), Fraction(size, run))


def unique_by_key(items: str, run: int) -> Floor:
    size = SIZES[items] + KEY
    return Floor(f"unique by key, keys u32 in runs of {run}", items, Fraction(size), Fraction(size, run))


def run_length_encode(items: str, run: int) -> Floor:
    size = SIZES[items]
    return Floor(f"run-length encode, runs of {run}", items, Fraction(size), Fraction(size + LENGTH, run))


def passes(key: str, digit_bits: int) -> int:
    return -(-8 * SIZES[key] // digit_bits)


def sort_by_any(key: str, value: str = "") -> Floor:
    """Read once, written once: no sort can do with less."""
    size = Fraction(SIZES[key] + (SIZES[value] if value else 0))
    return Floor("sort, whatever the algorithm", f"{key} + {value}" if value else key, size, size)


def sort_by_passes(key: str, digit_bits: int, value: str = "") -> Floor:
    """Keys are read once to count all digits, then each pass reads and writes everything."""
    whole = sort_by_any(key, value)
    count = passes(key, digit_bits)
    return Floor(f"radix sort, {count} passes", whole.items, SIZES[key] + count * whole.read, count * whole.written)


def floors(of: Constants) -> List[Floor]:
    """The rows of the page."""
    rows = [scan(items) for items in ("u8", "u16", "u32", "u64", "16 bytes")]
    rows += [scan_by_key(items) for items in ("u32", "f64")]
    for items in ("u8", "u32", "u64", "16 bytes"):
        rows += [select(items, percent, of_256) for percent, of_256 in of.shares.items()
                 if items == "u32" or percent == "50"]
    rows += [select_flagged("u32"), partition("u32"), partition("16 bytes")]
    for make in (unique, run_length_encode):
        rows += [make("u32", run) for run in of.runs]
    rows.append(unique_by_key("u32", of.key_run))
    rows.append(sort_by_any("u8"))  # counted and written down
    for key, value in (("u32", ""), ("u64", ""), ("u32", "u32"), ("u64", "u64")):
        rows += [sort_by_any(key, value), sort_by_passes(key, of.digit_bits, value)]
    return rows
