# SPDX-License-Identifier: Apache-2.0
"""All cells on one page, as an SVG: how many times faster libscan is than the better CUB, a number and
a colour for each workload and size; above it the GB/s of one workload of each module."""

from typing import Dict, List

import plot
import text
from results import Cell, Results, cells

# Shown above as lines; those that were not measured are left out.
HEADLINES = ("exclusive_sum/u32", "select_if_50/u32", "sort_keys/u32")
NAME_WIDTH, BOX = 206, (34, 13)  # of the table: a workload's name; a cell's width and height
GAP = 24  # between the two columns of the table
HEAD = 34  # a module's name and its sizes
LOSS, EVEN, GAIN = (213, 94, 0), (250, 250, 250), (0, 114, 178)
FULL_LOSS, FULL_GAIN = 0.7, 2.0  # ratios that have the whole colour


def svg(results: Results) -> str:
    found = cells(results)
    modules: Dict[str, Dict[str, List[Cell]]] = {}
    for cell in found:
        modules.setdefault(cell.module, {}).setdefault(cell.workload, []).append(cell)
    shown = [name for name in HEADLINES if any(cell.workload == name for cell in found)]
    body: List[str] = []
    for index, workload in enumerate(shown):
        own = [cell for cell in found if cell.workload == workload]
        body += plot.panel(workload, own, index * plot.PANEL[0], plot.HEADER)
    top = plot.HEADER + (plot.PANEL[1] if shown else 0) + 22
    body.append(plot.words(12, top - 8, "Times faster than the better CUB, for each n", size=12,
                           weight="bold"))
    bottoms, width = [top, top], NAME_WIDTH
    for module, workloads in modules.items():
        column = 0 if bottoms[0] <= bottoms[1] else 1
        sizes = sorted({cell.n for own in workloads.values() for cell in own})
        step = NAME_WIDTH + 10 * BOX[0] + GAP
        body.append(f'<g transform="translate({column * step},{bottoms[column]})">')
        body += _table(module, workloads, sizes) + ["</g>"]
        bottoms[column] += HEAD + BOX[1] * len(workloads) + 8
        width = max(width, column * step + NAME_WIDTH + len(sizes) * BOX[0])
    return plot.document(results, found, max(width + 12, len(shown) * plot.PANEL[0]), max(bottoms), body,
                         "lines: GB/s against n (at equal distances), below them times faster than each CUB")


def _table(module: str, workloads: Dict[str, List[Cell]], sizes: List[int]) -> List[str]:
    parts = [plot.words(12, 14, module, size=12, weight="bold")]
    for column, n in enumerate(sizes):
        parts.append(plot.words(NAME_WIDTH + (column + 0.5) * BOX[0], HEAD - 5, text.size(n), "middle", 8))
    for row, (workload, own) in enumerate(workloads.items()):
        y = HEAD + row * BOX[1]
        parts.append(plot.words(NAME_WIDTH - 6, y + 10, workload, "end", 9))
        for cell in own:
            ratio = cell.ratio(cell.better_cub())
            if ratio is None:
                continue
            x = NAME_WIDTH + sizes.index(cell.n) * BOX[0]
            parts.append(f'<rect class="cell" x="{x}" y="{y}" width="{BOX[0] - 1}" height="{BOX[1] - 1}" '
                         f'fill="{colour(ratio)}"/>')
            parts.append(plot.words(x + BOX[0] / 2, y + 9.5, f"{ratio:.2f}", "middle", 8,
                                    "bold" if ratio < 1 else "normal"))
    return parts


def colour(ratio: float) -> str:
    """From orange by white, at 1, to blue."""
    if ratio < 1:
        share, end = (1 - ratio) / (1 - FULL_LOSS), LOSS
    else:
        share, end = (ratio - 1) / (FULL_GAIN - 1), GAIN
    share = 0.75 * min(1.0, share)  # so that the number can be read
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(EVEN, end))
