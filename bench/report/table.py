# SPDX-License-Identifier: Apache-2.0
"""The results as Markdown: a summary, what was lost, and every cell."""

from typing import Dict, List, Optional

import text
from results import Cell, Results, cells, geometric_mean

CONTEXT = (("device", "GPU"), ("compute_capability", "compute capability"),
           ("multiprocessors", "multiprocessors"), ("l2_bytes", "L2, bytes"),
           ("driver", "driver"), ("driver_cuda", "driver's CUDA"), ("toolkit", "CUDA Toolkit"),
           ("cub_version", "CUB of the toolkit"),
           ("peer_version", "CUB of the other CCCL"), ("commit", "libscan's commit"),
           ("date", "date"), ("time", "a time is"), ("l2", "L2"))
RIVALS = ("cub", "peer", "thrust")
BETTER = "better"  # the faster of the two CUBs


def markdown(results: Results, overview: Optional[str] = None, plot: Optional[str] = None) -> str:
    all_cells = cells(results)
    lines = [f"# libscan against CUB: {results.gpu}", ""]
    lines += ["| | |", "| --- | --- |"]
    lines += [f"| {title} | {results.context[key]} |" for key, title in CONTEXT
              if key in results.context]
    lines += [f"| repetitions of a row | {results.repetitions}; the time is their median |", ""]
    lines += ["A ratio is how many times faster libscan is: above 1 it wins. Faster and slower are "
              "counted where two times differ by more than the spread of either (its greatest "
              "repetition less its least). How it is measured: [bench/README.md](../README.md).", ""]
    lines += ["## Summary", ""] + summary(results) + [""]
    if overview:
        lines += [f"![every cell, and GB/s of three workloads]({overview})", ""]
    if plot:
        lines += [f"[All workloads: GB/s and ratios]({plot})", ""]
    lines += _by_workload(results, all_cells)
    lines += _losses(results, all_cells)
    lines += _errors(results) + _all_cells(results, all_cells)
    return "\n".join(lines).rstrip() + "\n"


def _rivals(found: List[Cell]) -> List[str]:
    return [who for who in RIVALS if any(who in cell.rivals for cell in found)]


def _name(cell: Cell) -> str:
    return f"{cell.workload}, n = {text.size(cell.n)}"


def _row(values: List[str]) -> str:
    return "| " + " | ".join(values) + " |"


def _head(titles: List[str]) -> List[str]:
    return [_row(titles), _row(["---"] + ["---:"] * (len(titles) - 1))]


def _opponents(results: Results, found: List[Cell]) -> Dict[str, str]:
    """What the ratios are taken against, and how it is called."""
    rivals = _rivals(found)
    names = {who: results.label(who) for who in rivals}
    if "cub" in rivals and "peer" in rivals:
        names[BETTER] = "the better CUB"
    return names


def _opponent(cell: Cell, who: str) -> Optional[str]:
    rival = cell.better_cub() if who == BETTER else who
    return rival if cell.ratio(rival) is not None else None


def _by_module(found: List[Cell]) -> Dict[str, List[Cell]]:
    modules: Dict[str, List[Cell]] = {}
    for cell in found:
        modules.setdefault(cell.module, []).append(cell)
    return modules


def summary(results: Results) -> List[str]:
    """For each module, and for all where there are several: a row for each rival, and one for the copy."""
    found = cells(results)
    modules = _by_module(found)
    lines = _head(["module", "against", "cells", "faster", "same", "slower", "geometric mean", "worst"])
    for module, own in modules.items():
        lines += _summary_rows(results, module, own)
    return lines + (_summary_rows(results, "all", found) if len(modules) > 1 else [])


def headline(results: Results) -> List[str]:
    """What the project's README says: each module, and all of them, against the better CUB."""
    found = cells(results)
    lines = _head(["", "cells", "faster", "same", "slower", "geometric mean", "worst"])
    for module, own in {**_by_module(found), "all": found}.items():
        score = _score(own, BETTER)
        if score:
            lines.append(_row([module] + score))
    return lines


def _score(found: List[Cell], who: str) -> List[str]:
    """How many cells there are, and are faster, the same and slower; mean and worst. None: empty."""
    met = [(cell, _opponent(cell, who)) for cell in found]
    met = [(cell, rival) for cell, rival in met if rival]
    if not met:
        return []
    verdicts = [cell.verdict(rival) for cell, rival in met]
    worst, rival = min(met, key=lambda pair: pair[0].ratio(pair[1]))
    mean = geometric_mean([cell.ratio(rival) for cell, rival in met])
    return [str(len(met)), *(str(verdicts.count(v)) for v in ("faster", "same", "slower")), f"{mean:.2f}",
            f"{worst.ratio(rival):.2f} ({_name(worst)})"]


def _summary_rows(results: Results, module: str, found: List[Cell]) -> List[str]:
    lines = []
    for who, name in _opponents(results, found).items():
        score = _score(found, who)
        if score:
            lines.append(_row([module, name] + score))
    copied = [cell for cell in found if cell.of_copy() is not None]
    if copied:
        worst = min(copied, key=Cell.of_copy)
        mean = geometric_mean([cell.of_copy() for cell in copied])
        lines.append(_row([module, "a copy of as many bytes", str(len(copied)), "", "", "", f"{mean:.2f}",
                           f"{worst.of_copy():.2f} ({_name(worst)})"]))
    return lines


def _by_workload(results: Results, found: List[Cell]) -> List[str]:
    lines = ["Geometric mean and worst ratio over all sizes, and the fraction of copy at the "
             "greatest:", ""]
    for module, cells_of_module in _by_module(found).items():
        opponents = _opponents(results, cells_of_module)
        lines += _head([module] + list(opponents.values()) + ["of copy"])
        for workload in dict.fromkeys(cell.workload for cell in cells_of_module):
            own = [cell for cell in cells_of_module if cell.workload == workload]
            values = [workload]
            for who in opponents:
                ratios = [cell.ratio(_opponent(cell, who)) for cell in own if _opponent(cell, who)]
                values.append(f"{geometric_mean(ratios):.2f} / {min(ratios):.2f}" if ratios else "")
            copied = [cell for cell in own if cell.of_copy() is not None]
            values.append(f"{max(copied, key=lambda cell: cell.n).of_copy():.2f}" if copied else "")
            lines.append(_row(values))
        lines.append("")
    return lines


def _losses(results: Results, found: List[Cell]) -> List[str]:
    lost = [(cell, cell.better_cub()) for cell in found]
    lost = [(cell, who) for cell, who in lost
            if cell.ratio(who) is not None and cell.verdict(who) == "slower"]
    lines = ["## Where CUB is faster", ""]
    if not any(cell.better_cub() for cell in found):
        return lines + ["There is no CUB in these results.", ""]
    if not lost:
        return lines + ["Nowhere.", ""]
    lines += _head(["cell", "libscan, us", "CUB, us", "ratio", "which"])
    for cell, who in sorted(lost, key=lambda pair: pair[0].ratio(pair[1])):
        lines.append(_row([_name(cell), text.time(cell.ours.median),
                           text.time(cell.rivals[who].median), f"{cell.ratio(who):.2f}",
                           results.label(who)]))
    return lines + [""]


def _errors(results: Results) -> List[str]:
    if not results.errors:
        return []
    lines = ["## Not measured", ""] + _head(["row", "why"])
    lines += [_row([f"{key.workload}, n = {text.size(key.n)}, {results.label(key.who)}", why])
              for key, why in results.errors.items()]
    return lines + [""]


def _all_cells(results: Results, found: List[Cell]) -> List[str]:
    lines = []
    for module, cells_of_module in _by_module(found).items():
        lines += [f"## Every cell: {module}", ""]
        for workload in dict.fromkeys(cell.workload for cell in cells_of_module):
            own = [cell for cell in cells_of_module if cell.workload == workload]
            rivals = _rivals(own)
            both = "cub" in rivals and "peer" in rivals
            titles = ["n", "libscan, us", "spread", "GB/s", "of copy"]
            for who in rivals:
                titles += [f"{results.label(who)}, us", "ratio"]
            lines += [f"### {workload}", ""] + _head(titles + (["to the better"] if both else []))
            lines += [_cell_row(cell, rivals, both) for cell in own] + [""]
    return lines


def _cell_row(cell: Cell, rivals: List[str], both: bool) -> str:
    def ratio(who: Optional[str]) -> str:
        value = cell.ratio(who)
        return "" if value is None else f"{value:.2f}"

    values = [text.size(cell.n), "", "", "", ""]
    if cell.ours:
        of_copy = cell.of_copy()
        values[1:] = [text.time(cell.ours.median),
                      text.percent(cell.ours.spread / cell.ours.median),
                      text.rate(cell.gigabytes_per_second(cell.ours)),
                      "" if of_copy is None else f"{of_copy:.2f}"]
    for who in rivals:
        rival = cell.rivals.get(who)
        values += [text.time(rival.median) if rival else "", ratio(who)]
    return _row(values + ([ratio(cell.better_cub())] if both else []))
