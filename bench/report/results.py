# SPDX-License-Identifier: Apache-2.0
"""Measured cells: read from Google Benchmark's JSON, merged, written as such again.

A row is named operation/type/n:size/contestant. The programs write one entry for every repetition;
the merged file keeps the median, least and greatest of them all, as three aggregates. Both kinds can
be read. Times are in microseconds.
"""

import json
import math
import re
import statistics
from typing import Dict, List, NamedTuple, Optional, Tuple

NAME = re.compile(r"^(?P<workload>[^/]+/[^/]+)/n:(?P<n>\d+)/(?P<who>[^/]+)")
# How the operations of each module begin, in the order of the report; what is none of these is "other".
MODULES = {"scan": ("exclusive_", "inclusive_"), "radixsort": ("sort_",),
           "compaction": ("select_", "unique_", "partition_", "run_length_")}
UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
AGGREGATES = {"median": "median", "min": "low", "max": "high"}
MERGED = "merged"  # marks the context of a merged file
# What Google Benchmark says of the host that is of no use here, or nobody's business.
DROPPED_CONTEXT = ("host_name", "executable", "caches", "load_avg", "num_cpus", "mhz_per_cpu",
                   "cpu_scaling_enabled", "library_version", "json_schema_version")


class ResultError(Exception):
    """A file that cannot be used; the text says which and why."""


class Key(NamedTuple):
    workload: str
    n: int
    who: str


class Stat(NamedTuple):
    """The repetitions of one row: means over many calls each."""
    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        return self.high - self.low


class Results:
    """Rows in the order in which they were measured."""

    def __init__(self) -> None:
        self.context: Dict[str, object] = {}
        self.rows: Dict[Key, Stat] = {}
        self.bytes: Dict[tuple, float] = {}  # (workload, n): moved by one call, at least
        self.errors: Dict[Key, str] = {}
        self.repetitions = 0

    @property
    def gpu(self) -> str:
        return str(self.context.get("device", "unknown device"))

    def label(self, who: str) -> str:
        version = self.context.get(f"{who}_version", "")
        return {"cub": f"CUB {version}".strip(), "peer": f"CUB {version} (peer)",
                "thrust": "Thrust"}.get(who, who)


def slug(gpu: str) -> str:
    """The GPU's name as a file name: "NVIDIA H200" is h200."""
    name = re.sub(r"[^a-z0-9]+", "-", gpu.lower()).strip("-")
    return re.sub(r"^nvidia-", "", name) or "unknown"


def _load(path: str) -> dict:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: {error}") from error
    if not isinstance(document, dict) or "benchmarks" not in document:
        raise ResultError(f"{path}: this is no output of Google Benchmark")
    return document


def read(paths: List[str]) -> Results:
    """Merges the files: programs of one comparison, or the same programs run again."""
    results = Results()
    samples: Dict[Key, List[float]] = {}
    for path in paths:
        document = _load(path)
        try:
            _add(results, samples, document)
        except (KeyError, TypeError, ValueError) as error:
            raise ResultError(f"{path}: {error!r}") from error
    for key, times in samples.items():
        if key not in results.errors:
            results.rows[key] = Stat(statistics.median(times), min(times), max(times))
            results.repetitions = max(results.repetitions, len(times))
    for key in results.errors:
        results.rows.pop(key, None)
    if not results.rows and not results.errors:
        raise ResultError(f"{', '.join(paths)}: no rows")
    return results


def _add(results: Results, samples: Dict[Key, List[float]], document: dict) -> None:
    context = {k: v for k, v in document.get("context", {}).items() if k not in DROPPED_CONTEXT}
    device = context.get("device")
    if results.context and device != results.context.get("device"):
        raise ValueError(f"measured on {device}, the others on {results.context.get('device')}")
    results.context = {**context, **results.context}
    merged = context.get(MERGED)
    aggregates: Dict[Key, Dict[str, float]] = {}
    for entry in document["benchmarks"]:
        match = NAME.match(entry["name"])
        if match is None:
            raise ValueError(f"{entry['name']} is no operation/type/n:size/contestant")
        key = _plain(Key(match["workload"], int(match["n"]), match["who"]))
        if entry.get("error_occurred"):
            results.errors[key] = str(entry.get("error_message", "failed"))
            continue
        aggregate = entry.get("aggregate_name")
        if aggregate is not None and not (merged and aggregate in AGGREGATES):
            continue
        time = float(entry["real_time"]) * UNITS[entry["time_unit"]]
        if not (math.isfinite(time) and time > 0):
            raise ValueError(f"{entry['name']}: a time of {time} us")
        results.bytes[(key.workload, key.n)] = float(entry["bytes"])
        if aggregate is None:
            samples.setdefault(key, []).append(time)
        else:
            aggregates.setdefault(key, {})[AGGREGATES[aggregate]] = time
            results.repetitions = max(results.repetitions, int(entry.get("repetitions", 0)))
    for key, values in aggregates.items():
        results.rows[key] = Stat(**values)


def _plain(key: Key) -> Key:
    """Merged files have the aggregate behind the contestant's name."""
    return key._replace(who=re.sub(r"_(median|min|max)$", "", key.who))


def write(results: Results, path: str) -> None:
    """One row a line, so that a difference between two files can be read."""
    entries = []
    for key, stat in results.rows.items():
        name = f"{key.workload}/n:{key.n}/{key.who}"
        moved = results.bytes[(key.workload, key.n)]
        for aggregate, field in AGGREGATES.items():
            time = round(getattr(stat, field), 5)
            entries.append({
                "name": f"{name}_{aggregate}", "run_name": name, "run_type": "aggregate",
                "aggregate_name": aggregate, "aggregate_unit": "time",
                "repetitions": results.repetitions, "real_time": time, "cpu_time": time,
                "time_unit": "us", "bytes": moved, "bytes_per_second": round(moved / time * 1e6)})
    for key, message in results.errors.items():
        name = f"{key.workload}/n:{key.n}/{key.who}"
        entries.append({"name": name, "run_name": name, "run_type": "iteration",
                        "error_occurred": True, "error_message": message})
    context = {**results.context, MERGED: True}
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"context": ' + json.dumps(context, indent=1) + ',\n"benchmarks": [\n')
        file.write(",\n".join(json.dumps(entry) for entry in entries))
        file.write("\n]}\n")


def module_of(workload: str) -> str:
    return next((module for module, begins in MODULES.items() if workload.startswith(begins)), "other")


class Cell(NamedTuple):
    """A workload at one size: libscan and those it is compared with."""
    workload: str
    n: int
    bytes: float
    ours: Optional[Stat]
    rivals: Dict[str, Stat]
    copy: Optional[Stat]

    @property
    def module(self) -> str:
        return module_of(self.workload)

    def gigabytes_per_second(self, stat: Stat) -> float:
        return self.bytes / stat.median / 1e3

    def of_copy(self) -> Optional[float]:
        """Fraction of the rate of a copy that moves as many bytes."""
        return self.copy.median / self.ours.median if self.ours and self.copy else None

    def better_cub(self) -> Optional[str]:
        cubs = [who for who in ("cub", "peer") if who in self.rivals]
        return min(cubs, key=lambda who: self.rivals[who].median) if cubs else None

    def ratio(self, who: Optional[str]) -> Optional[float]:
        """How many times faster libscan is."""
        if self.ours is None or who not in self.rivals:
            return None
        return self.rivals[who].median / self.ours.median

    def verdict(self, who: str) -> str:
        """Faster or slower only where the medians differ by more than either row's spread."""
        rival = self.rivals[who]
        if abs(rival.median - self.ours.median) <= max(rival.spread, self.ours.spread):
            return "same"
        return "faster" if self.ours.median < rival.median else "slower"


def cells(results: Results) -> List[Cell]:
    copies: Dict[int, List[Tuple[float, Stat]]] = {}
    for key, stat in results.rows.items():
        if key.who == "copy":
            copies.setdefault(key.n, []).append((results.bytes[(key.workload, key.n)], stat))
    places = dict.fromkeys((key.workload, key.n) for key in [*results.rows, *results.errors]
                           if key.who != "copy" and not key.workload.startswith("copy/"))
    found = []
    for workload, n in places:
        rows = {key.who: stat for key, stat in results.rows.items()
                if (key.workload, key.n) == (workload, n)}
        moved = results.bytes.get((workload, n), 0.0)
        ours = rows.pop("libscan", None)
        found.append(Cell(workload, n, moved, ours, rows, _copy_of(moved, copies.get(n, []))))
    order = [*MODULES, "other"]
    return sorted(found, key=lambda cell: order.index(cell.module))


def _copy_of(moved: float, copies: List[Tuple[float, Stat]]) -> Optional[Stat]:
    """What a copy of as many bytes takes; or would take, at the rate of the one that comes nearest."""
    if not copies or moved <= 0:
        return None
    copied, stat = min(copies, key=lambda copy: abs(math.log(copy[0] / moved)))
    return Stat(*(time * moved / copied for time in stat))


def geometric_mean(values: List[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))
