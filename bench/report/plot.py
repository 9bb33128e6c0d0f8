# SPDX-License-Identifier: Apache-2.0
"""The results as an SVG: for each workload GB/s against n, with the copy of as many bytes, and below
it how many times faster libscan is than each CUB, as bars from 1."""

import math
from typing import Dict, List
from xml.sax.saxutils import escape

import text
from results import Cell, Results, cells

COLUMNS = 4
PANEL = (310, 272)  # width and height
LEFT, RIGHT = 46, 10  # margins inside a panel
LINES = (26, 150)  # top and height of the upper plot
BARS = (200, 56)  # and of the lower one
HEADER = 58
TITLE = 22  # of a module
INK, GRID = "#333333", "#dddddd"
# Colours that remain apart for most kinds of colour blindness (Okabe and Ito).
STYLES = {"libscan": ("#0072b2", 2.2, ""), "cub": ("#e69f00", 1.6, ""), "peer": ("#009e73", 1.6, ""),
          "thrust": ("#cc79a7", 1.2, ""), "copy": ("#888888", 1.2, "4 3")}


def svg(results: Results) -> str:
    """The panels of each module begin a row, below its name."""
    found = cells(results)
    modules: Dict[str, List[str]] = {}
    for cell in found:
        workloads = modules.setdefault(cell.module, [])
        if cell.workload not in workloads:
            workloads.append(cell.workload)
    columns = min(COLUMNS, max(map(len, modules.values()), default=1))
    body, y = [], HEADER
    for module, workloads in modules.items():
        body.append(words(12, y + 14, module, size=13, weight="bold"))
        y += TITLE
        for index, workload in enumerate(workloads):
            own = [cell for cell in found if cell.workload == workload]
            body += panel(workload, own, index % columns * PANEL[0], y + index // columns * PANEL[1])
        y += math.ceil(len(workloads) / columns) * PANEL[1]
    return document(results, found, columns * PANEL[0], y, body,
                    "above: GB/s against n (at equal distances); below: times faster than each CUB")


def panel(workload: str, own: List[Cell], x: float, y: float) -> List[str]:
    return [f'<g class="panel" transform="translate({x},{y})">',
            words(LEFT, 14, workload, size=12, weight="bold"), *_lines(own), *_bars(own), "</g>"]


def document(results: Results, found: List[Cell], width: float, height: float, body: List[str],
             legend: str) -> str:
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
         f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10" fill="{INK}">',
         f'<rect width="{width}" height="{height}" fill="white"/>',
         *_header(results, found, legend), *body, "</svg>"]) + "\n"


def words(x: float, y: float, said: str, anchor: str = "start", size: int = 10,
          weight: str = "normal") -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}">{escape(said)}</text>')


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


def _header(results: Results, found: List[Cell], legend: str) -> List[str]:
    parts = [words(12, 20, f"{results.gpu}, libscan {results.context.get('commit', '')}", size=14,
                   weight="bold")]
    x = 12.0
    for who, (colour, width, dash) in STYLES.items():
        if not any(who in _stats(cell) for cell in found):
            continue
        parts.append(f'<line x1="{x}" y1="38" x2="{x + 24}" y2="38" stroke="{colour}" '
                     f'stroke-width="{width}" stroke-dasharray="{dash}"/>')
        label = "copy of as many bytes" if who == "copy" else results.label(who)
        parts.append(words(x + 30, 42, label))
        x += 50 + 6.2 * len(label)
    parts.append(words(12, 54, legend))
    return parts


def _stats(cell: Cell) -> Dict[str, object]:
    every = {"libscan": cell.ours, **cell.rivals, "copy": cell.copy}
    return {who: stat for who, stat in every.items() if stat is not None}


def _x(n: int, own: List[Cell]) -> float:
    """The sizes stand at equal distances: some are close to each other."""
    sizes = sorted(cell.n for cell in own)
    room = PANEL[0] - LEFT - RIGHT
    return LEFT + room * (sizes.index(n) + 0.5) / len(sizes)


def _steps(greatest: float, count: int) -> List[float]:
    """Round values from 0 to `greatest` or a little above, about `count` of them."""
    raw = greatest / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    return [step * i for i in range(math.ceil(greatest / step - 1e-9) + 1)]


def _lines(own: List[Cell]) -> List[str]:
    series: Dict[str, list] = {who: [] for who in STYLES}
    for cell in sorted(own, key=lambda cell: cell.n):
        for who, stat in _stats(cell).items():
            if who in series:
                series[who].append((cell.n, cell.gigabytes_per_second(stat)))
    greatest = max((rate for points in series.values() for _, rate in points), default=1.0)
    ticks = _steps(greatest, 5)
    top, height = LINES

    def y(value: float) -> float:
        return top + height * (1 - value / ticks[-1])

    parts = []
    for tick in ticks:
        parts.append(_line(LEFT, y(tick), PANEL[0] - RIGHT, y(tick), GRID))
        parts.append(words(LEFT - 4, y(tick) + 3, f"{tick:g}", "end"))
    parts += _sizes(own, top + height + 13)
    for who in reversed(list(STYLES)):  # libscan on top
        colour, width, dash = STYLES[who]
        points = " ".join(f"{_x(n, own):.1f},{y(rate):.1f}" for n, rate in series[who])
        if points:
            parts.append(f'<polyline class="{who}" points="{points}" fill="none" stroke="{colour}" '
                         f'stroke-width="{width}" stroke-dasharray="{dash}"/>')
            if who != "copy":
                parts += [f'<circle cx="{_x(n, own):.1f}" cy="{y(rate):.1f}" r="{width}" '
                          f'fill="{colour}"/>' for n, rate in series[who]]
    return parts


def _sizes(own: List[Cell], y: float) -> List[str]:
    return [words(_x(cell.n, own), y, text.size(cell.n), "middle", size=8) for cell in own]


def _bars(own: List[Cell]) -> List[str]:
    ratios = [(cell, who, cell.ratio(who)) for cell in own for who in ("cub", "peer")
              if cell.ratio(who) is not None]
    if not ratios:
        return []
    ticks = _steps(max(1.0, *(ratio for _, _, ratio in ratios)), 2)
    top, height = BARS
    names = [who for who in ("cub", "peer") if any(w == who for _, w, _ in ratios)]
    width = 8.0 if len(names) == 1 else 6.0

    def y(value: float) -> float:
        return top + height * (1 - value / ticks[-1])

    parts = []
    for tick in ticks:
        parts.append(_line(LEFT, y(tick), PANEL[0] - RIGHT, y(tick), GRID))
        parts.append(words(LEFT - 4, y(tick) + 3, f"{tick:g}", "end"))
    for cell, who, ratio in ratios:
        x = _x(cell.n, own) + width * (names.index(who) - len(names) / 2)
        high, low = min(y(ratio), y(1)), max(y(ratio), y(1))
        parts.append(f'<rect class="{who}" x="{x:.1f}" y="{high:.1f}" width="{width - 1}" '
                     f'height="{max(low - high, 0.3):.1f}" fill="{STYLES[who][0]}"/>')
    return parts + [_line(LEFT, y(1), PANEL[0] - RIGHT, y(1), INK)]
