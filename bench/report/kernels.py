# SPDX-License-Identifier: Apache-2.0
"""Compiles the calls of bench/architectures/ for a GPU that need not be there, and runs them: ptxas says what each
kernel takes, and the program what the library launches it with."""

import os
import pathlib
import re
import shutil
import subprocess
from typing import Dict, List, NamedTuple

from floors import Constants
from occupancy import Architecture

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = [f"bench/architectures/{name}" for name in ("calls.cu", "recording.cpp")]


PASS_KERNELS = ("onesweep_kernel", "pipelined_pass_kernel")  # of a radix sort


class KernelError(Exception):
    """There is no compiler, or it or the program failed, or what it said makes no sense."""


class Code(NamedTuple):
    """What ptxas says of a kernel; bytes but for the registers."""
    registers: int
    static_shared: int
    stack: int
    spill_stores: int
    spill_loads: int


class Launch(NamedTuple):
    operation: str
    items: str
    n: int
    kernel: str
    symbol: str
    threads: int  # of a block
    dynamic_shared: int
    cluster: int  # blocks


class Compiled(NamedTuple):
    code: Dict[str, Code]  # by symbol
    launches: List[Launch]
    constants: Constants


def nvcc() -> str:
    for candidate in (os.environ.get("CUDACXX"), "nvcc", os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin/nvcc"):
        found = shutil.which(candidate) if candidate else None
        if found:
            return found
    raise KernelError("there is no nvcc here")


def version(compiler: str) -> str:
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\bV(\d+(?:\.\d+)+)", said)
    if not found:
        raise KernelError(f"{compiler} does not say its version")
    return found.group(1)


def start(compiler: str, of: Architecture, program: pathlib.Path) -> subprocess.Popen:
    """The compiler; its stderr has what ptxas says. The calls' own runtime comes before the toolkit's."""
    command = [compiler, "-std=c++17", "-I.", "-gencode", f"arch=compute_{of.number},code=sm_{of.number}",
               "-Xptxas", "-v", "-Xlinker", "--allow-multiple-definition", "-o", str(program), *SOURCES]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen, log: str, of: Architecture, program: pathlib.Path) -> Compiled:
    """Runs the program, when the compiler has ended and has left this log."""
    if process.returncode != 0:
        raise KernelError(f"{log}\nthe calls do not compile for {of.name}")
    command = [str(program), str(of.number), str(of.multiprocessors), str(of.shared_of_block)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise KernelError(f"{ran.stderr}\nthe calls for {of.name} end with {ran.returncode}")
    return read(log, ran.stdout)


def read(log: str, output: str) -> Compiled:
    code = read_ptxas(log)
    launches, shares, runs, constants = [], {}, [], {}
    for line in output.splitlines():
        kind, *fields = line.split("\t")
        if kind == "launch":
            operation, items, n, kernel, symbol, *numbers = fields
            launches.append(Launch(operation, items, int(n), kernel, symbol, *map(int, numbers)))
            if symbol not in code:
                raise KernelError(f"ptxas says nothing of {symbol}")
        elif kind == "share":
            shares[fields[0]] = int(fields[1])
        elif kind == "run":
            runs.append(int(fields[0]))
        else:
            constants[fields[0]] = int(fields[1])
    return Compiled(code, launches, Constants(constants["digit bits"], shares, runs, constants["key run"]))


def read_ptxas(log: str) -> Dict[str, Code]:
    code: Dict[str, Code] = {}
    symbol, local = "", [0, 0, 0]
    for line in log.splitlines():
        properties = re.search(r"Function properties for (\S+)", line)
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        used = re.search(r"Used (\d+) registers", line)
        if properties:
            symbol, local = properties.group(1), [0, 0, 0]
        elif frame:
            local = [int(number) for number in frame.groups()]
        elif used:
            shared = re.search(r"(\d+) bytes smem", line)
            code[symbol] = Code(int(used.group(1)), int(shared.group(1)) if shared else 0, *local)
    return code


def representative(launches: List[Launch]) -> List[Launch]:
    """Each kernel where it is launched first, and of those that a call has made from one template the first."""
    chosen: List[Launch] = []
    seen = set()
    for launch in launches:
        call = (launch.operation, launch.items, launch.n, launch.kernel)
        if not seen & {launch.symbol, call}:
            chosen.append(launch)
        seen |= {launch.symbol, call}
    return chosen


def pass_launches(launches: List[Launch], items: str, n: int) -> int:
    return sum((launch.items, launch.n) == (items, n) and launch.kernel in PASS_KERNELS for launch in launches)
