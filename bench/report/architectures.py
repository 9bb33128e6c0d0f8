#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/architectures.md: what the compiler makes of the kernels for a T4 and an H200, and the time that their
memory needs at least. Needs nvcc and no GPU. `./run.sh architectures` calls it."""

import argparse
import difflib
import pathlib
import sys
import tempfile
from typing import Dict, List

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import floors  # noqa: E402
import kernels  # noqa: E402
import occupancy  # noqa: E402
import text  # noqa: E402
from kernels import Compiled, KernelError  # noqa: E402
from occupancy import ARCHITECTURES, HOPPER, TURING, WARP, Architecture  # noqa: E402

PAGE = kernels.ROOT / "docs" / "architectures.md"
N = 1 << 28  # of the floors, and of most kernels
COPY = 4.2e12  # bytes a second that copies reach on an H200 (bench/NOTES.md)

INTRO = """# Two architectures, from the compiler and a model

<!-- ./run.sh architectures writes this page. -->

What is known of libscan on a T4 (sm_75) without one, beside the same for an H200 (sm_90). **Nothing here is a
measurement**: nobody has run libscan on a T4, so there is no time of a T4 here or anywhere else in the repository.
Times that were measured on an H200 are in [bench/results/](../bench/results) and
[bench/NOTES.md](../bench/NOTES.md).

- Kernels: registers, shared memory and local memory are what `ptxas` says of code that was compiled for that
  architecture alone; threads and dynamic shared memory are what the library launches it with on such a GPU, written
  down by a CUDA runtime that launches nothing ([bench/architectures/](../bench/architectures)).
- Resident blocks: how many of them one multiprocessor can hold, by the allocation rules of the architecture and with
  as much shared memory as it can give. How fast they are does not follow from it.
- Floors: the bytes that an operation has to move, divided by what the memory moves in a second. No program can take
  less; how much more this one takes is not said.

`./run.sh architectures` writes the page anew; `./run.sh architectures --check` compiles and compares.
"""

FLOORS = """## Floors

Milliseconds for n = {n} items; for other n in proportion. The bytes are those of the inputs and outputs for one item,
each read once or written once; counts, tile states and temporary storage are not among them, except for the arrays
that a radix sort's passes read and write. Selectivities are those of the comparison with CUB, whose 1 % are 3 items of
256. {turing} and {hopper} are what the data sheets say of the memories; a copy on an H200 reaches about {copy}.
"""


def number(value: int) -> str:
    return f"{value:,}"


def description(of: Architecture) -> str:
    more = f" and {of.shared_reserved // 1024} KB more that the system keeps" if of.shared_reserved else ""
    return (f"{of.gpu}: {of.multiprocessors} multiprocessors, each with {number(of.registers)} registers, "
            f"{of.threads} threads, {of.blocks} blocks and {of.shared // 1024} KB of shared memory, of which a block "
            f"can have {of.shared_of_block // 1024} KB{more}.")


def kernel_table(of: Architecture, compiled: Compiled) -> List[str]:
    lines = ["| operation | n | kernel | threads | registers | local memory | static + dynamic shared | "
             "resident blocks | warps | bound by |",
             "| --- | --- | --- | --: | --: | --- | --: | --: | --: | --- |"]
    before = ""
    for launch in kernels.representative(compiled.launches):
        code = compiled.code[launch.symbol]
        shared = code.static_shared + launch.dynamic_shared
        resident = occupancy.residence(of, launch.threads, code.registers, shared)
        name = f"`{launch.kernel}`" + (f", {launch.cluster} blocks a cluster" if launch.cluster > 1 else "")
        operation = f"{launch.operation}, {launch.items}"
        local = code.stack + code.spill_stores + code.spill_loads
        lines.append(
            f"| {operation if operation != before else ''} | {text.size(launch.n)} | {name} | {launch.threads} | "
            f"{code.registers} | "
            + (f"{code.stack} B stack; spills: {code.spill_stores} B stored, {code.spill_loads} B loaded" if local
               else "none")
            + f" | {number(code.static_shared)} + {number(launch.dynamic_shared)} | {resident.blocks} | "
            f"{resident.warps} of {of.threads // WARP} | {', '.join(resident.limits)} |")
        before = operation
    return lines


def kernels_section(of: Architecture, compiled: Compiled) -> str:
    return "\n".join([f"## Kernels on {of.name}", "", description(of), "", *kernel_table(of, compiled), ""])


def milliseconds(floor: floors.Floor, bandwidth: float) -> str:
    return f"{1000 * floor.seconds(N, bandwidth):.3f}"


def floors_section(of: floors.Constants) -> str:
    lines = [
        FLOORS.format(n=text.size(N), turing=f"{TURING.bandwidth / 1e9:.0f} GB/s",
                      hopper=f"{HOPPER.bandwidth / 1e12:g} TB/s", copy=f"{COPY / 1e12:g} TB/s"),
        f"| operation | items | read | written | T4, {TURING.bandwidth / 1e9:.0f} GB/s | "
        f"H200, {HOPPER.bandwidth / 1e12:g} TB/s | H200, {COPY / 1e12:g} TB/s |",
        "| --- | --- | --: | --: | --: | --: | --: |"]
    for floor in floors.floors(of):
        times = [milliseconds(floor, rate) for rate in (TURING.bandwidth, HOPPER.bandwidth, COPY)]
        lines.append(f"| {floor.operation} | {floor.items} | {float(floor.read):.4g} | {float(floor.written):.4g} | "
                     + " | ".join(times) + " |")
    return "\n".join([*lines, ""])


def page(compiled: Dict[Architecture, Compiled], compiler: str) -> str:
    constants = compiled[TURING].constants
    for of, one in compiled.items():
        for items in ("u32", "u64", "u32 + u32"):
            expected = floors.passes(items.split(" ")[0], one.constants.digit_bits)
            launched = kernels.pass_launches(one.launches, items, N)
            if launched != expected:
                raise KernelError(f"{of.name}: a sort of {items} has {launched} passes, not {expected}")
    return "\n".join([INTRO, f"{compiler_line(compiler)}\n", floors_section(constants),
                      *(kernels_section(of, one) for of, one in compiled.items())])


def compiler_line(version: str) -> str:
    return f"Compiled by nvcc {version}."


def compile_all(compiler: str) -> Dict[Architecture, Compiled]:
    with tempfile.TemporaryDirectory() as work:
        programs = {of: pathlib.Path(work) / of.name for of in ARCHITECTURES}
        processes = {of: kernels.start(compiler, of, program) for of, program in programs.items()}
        logs = {of: process.communicate()[1] for of, process in processes.items()}
        return {of: kernels.finish(processes[of], log, of, programs[of]) for of, log in logs.items()}


def check(written: str, made: str, version: str) -> int:
    """1 where the page is not what comes out now. What another compiler makes of the kernels is no fault."""
    if compiler_line(version) not in written.splitlines():
        print(f"architectures: the page is by another compiler than nvcc {version}, so its kernels are not compared")
        section = made[made.index("## Floors"):made.index("## Kernels")]
        if section in written:
            return 0
        print("architectures: the floors have changed: ./run.sh architectures writes the page anew")
        return 1
    if written == made:
        print(f"architectures: {PAGE.relative_to(kernels.ROOT)} is what nvcc {version} makes of the sources")
        return 0
    print("\n".join(difflib.unified_diff(written.splitlines(), made.splitlines(), "the page", "the sources",
                                         n=0, lineterm="")))
    print("architectures: the page is not what the sources are: ./run.sh architectures writes it anew")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run.sh architectures", description=__doc__)
    parser.add_argument("--check", action="store_true",
                        help="writes nothing; the status is 1 if the page is not what the sources are")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, metavar="FILE", help="instead of %(default)s")
    options = parser.parse_args()
    try:
        compiler = kernels.nvcc()
        version = kernels.version(compiler)
        made = page(compile_all(compiler), version)
        if options.check:
            return check(options.page.read_text(encoding="utf-8"), made, version)
        options.page.write_text(made, encoding="utf-8")
    except (KernelError, OSError) as error:
        print(f"architectures: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
