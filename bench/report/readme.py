# SPDX-License-Identifier: Apache-2.0
"""The part of the project's README that says how libscan compares with CUB: it is written from results,
and a test holds it to them."""

import os
import pathlib

import results
import table

BEGIN, END = "<!-- bench: from here, by bench.py readme -->\n", "<!-- bench: to here -->\n"


def block(measured: results.Results, where: str) -> str:
    """`where` the report is, seen from the README, without its suffix."""
    context = measured.context
    lines = [f"On an {measured.gpu.replace('NVIDIA ', '')}, with CUDA {context.get('toolkit', '?')}: times of "
             f"whole calls, each cell against the better of CUB {context.get('cub_version', '?')} and "
             f"{context.get('peer_version', '?')} in the same run (libscan {context.get('commit', '?')}), results "
             "checked before. A geometric mean "
             "above 1 is for libscan. Faster and slower: by more than the spread of the repetitions.", "",
             *table.headline(measured), "",
             f"![times faster than CUB, for each workload and size]({where}-overview.svg)", "",
             f"[Every cell]({where}.md) with times, rates and spread, and where CUB is faster; [how it is "
             "measured](bench/README.md); `./run.sh bench` does it again on your GPU."]
    return "\n".join(lines) + "\n"


def replace(readme: pathlib.Path, measured: results.Results, report: pathlib.Path) -> str:
    """The README's text with the block renewed. `report` is the JSON file of the results."""
    text = readme.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise results.ResultError(f"{readme}: the marks are not there")
    before, rest = text.split(BEGIN)
    where = os.path.relpath(report.with_suffix(""), readme.parent)
    return before + BEGIN + block(measured, where) + END + rest.split(END)[1]
