#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the comparison and writes what came out. `./run.sh bench` calls it; by hand it is for results
that were measured elsewhere:

  bench.py run PROGRAM... --out DIR     runs the programs, then does the same as:
  bench.py report FILE... --out DIR     writes DIR/<gpu>.json, .md, .svg and -overview.svg from their outputs
  bench.py compare OLD NEW              prints what moved; 1 where libscan got slower
  bench.py readme FILE README           renews what README says about the results
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import List

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import compare  # noqa: E402
import overview  # noqa: E402
import plot  # noqa: E402
import readme  # noqa: E402
import results  # noqa: E402
import table  # noqa: E402

PASSES = 2  # each a process of its own, since two runs of one program differ by more than its repetitions
NO_ROOM = "does not fit"  # an error that is no fault of anybody's


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def write_report(measured: results.Results, out: pathlib.Path) -> pathlib.Path:
    out.mkdir(parents=True, exist_ok=True)
    name = results.slug(measured.gpu)
    results.write(measured, str(out / f"{name}.json"))
    (out / f"{name}.svg").write_text(plot.svg(measured), encoding="utf-8")
    (out / f"{name}-overview.svg").write_text(overview.svg(measured), encoding="utf-8")
    (out / f"{name}.md").write_text(table.markdown(measured, f"{name}-overview.svg", f"{name}.svg"), encoding="utf-8")
    return out / name


def run_program(program: str, out: str, arguments: List[str]) -> bool:
    """On a terminal its rows go by, in one line."""
    command = [program, f"--benchmark_out={out}", "--benchmark_out_format=json", *arguments]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stderr:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
            for line in process.stdout:
                if sys.stderr.isatty() and "_median" in line:
                    row = line.split("/min_time")[0]
                    print(f"\r{row:<70.70}", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print(f"\r{'':<70}\r", end="", file=sys.stderr, flush=True)
        if process.returncode != 0:
            stderr.seek(0)
            say(stderr.read().strip())
            say(f"bench: {program} ended with {process.returncode}")
        return process.returncode == 0


def run(options: argparse.Namespace) -> int:
    old = results.read([options.compare]) if options.compare else None
    arguments = ["--quick"] if options.quick else []
    if options.filter:
        arguments.append(f"--benchmark_filter={options.filter}")
    passes = options.passes or (1 if options.quick else PASSES)
    files = []
    with tempfile.TemporaryDirectory() as work:
        raw = pathlib.Path(options.raw or work)
        raw.mkdir(parents=True, exist_ok=True)
        for number in range(passes):
            for program in options.programs:
                name = os.path.basename(program)
                start = time.monotonic()
                files.append(str(raw / f"{name}-{number + 1}.json"))
                if not run_program(program, files[-1], arguments):
                    return 1
                say(f"{name}, pass {number + 1} of {passes}: {time.monotonic() - start:.0f} s")
        measured = results.read(files)
    measured.context["passes"] = str(passes)
    written = write_report(measured, options.out)
    say(f"wrote {written}.json, .md, .svg and -overview.svg")
    status = 0
    for key, why in measured.errors.items():
        if not why.startswith(NO_ROOM):
            say(f"bench: {key.workload}, n = {key.n}, {key.who}: {why}")
            status = 1
    if old is not None:
        words, moved = compare.report(old, measured, options.tolerance / 100)
        print(words)
        return moved or status
    print("\n".join(table.summary(measured)))
    return status


def report(options: argparse.Namespace) -> int:
    say(f"wrote {write_report(results.read(options.files), options.out)}.json, .md, .svg and -overview.svg")
    return 0


def compare_files(options: argparse.Namespace) -> int:
    words, status = compare.report(results.read([options.old]), results.read([options.new]),
                                   options.tolerance / 100)
    print(words)
    return status


def renew_readme(options: argparse.Namespace) -> int:
    text = readme.replace(options.readme, results.read([str(options.file)]), options.file)
    options.readme.write_text(text, encoding="utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(prog="bench.py", description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    tolerance = {"type": float, "default": 100 * compare.TOLERANCE, "metavar": "PERCENT",
                 "help": "a smaller difference is none (default: %(default)g)"}

    one = commands.add_parser("run", help="runs the programs")
    one.add_argument("programs", nargs="+", metavar="PROGRAM")
    one.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    one.add_argument("--quick", action="store_true", help="under a minute")
    one.add_argument("--passes", type=int, metavar="N", help="run every program N times")
    one.add_argument("--filter", metavar="REGEX", help="only the rows whose name it matches")
    one.add_argument("--raw", metavar="DIR", help="where the programs' own outputs stay")
    one.add_argument("--compare", metavar="FILE", help="earlier results to compare with")
    one.add_argument("--tolerance", **tolerance)
    one.set_defaults(command=run)

    two = commands.add_parser("report", help="writes the report from outputs of the programs")
    two.add_argument("files", nargs="+", metavar="FILE")
    two.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    two.set_defaults(command=report)

    three = commands.add_parser("compare", help="compares two results")
    three.add_argument("old", metavar="OLD")
    three.add_argument("new", metavar="NEW")
    three.add_argument("--tolerance", **tolerance)
    three.set_defaults(command=compare_files)

    four = commands.add_parser("readme", help="renews what README says about the results")
    four.add_argument("file", type=pathlib.Path, metavar="FILE")
    four.add_argument("readme", type=pathlib.Path, metavar="README")
    four.set_defaults(command=renew_readme)
    return whole


def main() -> int:
    options = parser().parse_args()
    try:
        return options.command(options)
    except (results.ResultError, OSError) as error:
        say(f"bench: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
