# SPDX-License-Identifier: Apache-2.0
"""What moved between two results of one GPU by more than the measurement itself moves."""

from typing import List, NamedTuple, Tuple

import text
from results import Key, Results, Stat

# Between two days a GPU's clocks differ by about this much, even where repetitions do not.
TOLERANCE = 0.01


class Move(NamedTuple):
    key: Key
    old: Stat
    new: Stat

    @property
    def factor(self) -> float:
        """Above 1: the new one takes longer."""
        return self.new.median / self.old.median


def moves(old: Results, new: Results, tolerance: float = TOLERANCE) -> List[Move]:
    """Rows whose medians differ by more than both spreads and the tolerance; slowest first."""
    found = []
    for key, before in old.rows.items():
        after = new.rows.get(key)
        if after is None:
            continue
        noise = max(before.spread, after.spread, tolerance * before.median)
        if abs(after.median - before.median) > noise:
            found.append(Move(key, before, after))
    return sorted(found, key=lambda move: -move.factor)


def report(old: Results, new: Results, tolerance: float = TOLERANCE) -> Tuple[str, int]:
    """The text, and the exit status: 1 where libscan got slower or lost a row to an error."""
    if old.gpu != new.gpu:
        return f"The old results are of {old.gpu}, the new ones of {new.gpu}.", 2
    moved = moves(old, new, tolerance)
    ours = [move for move in moved if move.key.who == "libscan"]
    others = [move for move in moved if move.key.who != "libscan"]
    common = [key for key in old.rows if key in new.rows]
    failed = [key for key in old.rows if key in new.errors and key.who == "libscan"]
    absent = [key for key in old.rows if key not in new.rows and key not in new.errors]
    lines = [f"{old.gpu}: {old.context.get('commit', 'unknown')} -> "
             f"{new.context.get('commit', 'unknown')}"]
    if not common:
        return "\n".join(lines + ["The two have no row in common."]), 2
    for move in ours:
        lines.append(f"  {'slower' if move.factor > 1 else 'faster'} {_row(move)}")
    lines += [f"  failed {_name(key)}: {new.errors[key]}" for key in failed]
    slower = sum(move.factor > 1 for move in ours)
    total = sum(key.who == "libscan" for key in common)
    lines.append(f"libscan: {slower} slower, {len(ours) - slower} faster, "
                 f"{total - len(ours)} of {total} rows within their spread"
                 + (f", {len(failed)} failed" if failed else ""))
    rest = len(common) - total
    if rest:
        lines.append(f"the others, whose code is the same: {len(others)} of {rest} rows moved"
                     + ("; so has the machine" if len(others) > rest / 10 else ""))
    if absent:
        lines.append(f"{len(absent)} rows of the old results were not measured now")
    return "\n".join(lines), 1 if slower or failed else 0


def _name(key: Key) -> str:
    return f"{key.workload} n = {text.size(key.n)}"


def _row(move: Move) -> str:
    return (f"x {move.factor:.3f}  {_name(move.key)}: {text.time(move.old.median)} -> "
            f"{text.time(move.new.median)} us (spread {text.percent(move.old.spread / move.old.median)}"
            f", {text.percent(move.new.spread / move.new.median)})")
