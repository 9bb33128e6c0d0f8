#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The per-architecture page: occupancy and floors worked out by hand, and the command with a stand-in for nvcc."""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

from cases import ROOT

import floors
import kernels
from kernels import Code, Launch
from occupancy import HOPPER, TURING, residence

KB = 1024


class Occupancy(unittest.TestCase):
    def check(self, of, threads, registers, shared, blocks, *limits):
        found = residence(of, threads, registers, shared)
        self.assertEqual((found.blocks, found.limits), (blocks, limits))
        self.assertEqual(found.warps, blocks * -(-threads // 32))

    def test_registers_by_256_a_warp(self):
        # 64 of a thread are 2,048 of a warp: 8 warps a partition, 32 in all. One more, and a warp has 2,304: 7, 28.
        self.check(TURING, 512, 64, 0, 2, "registers", "threads")
        self.check(TURING, 512, 65, 0, 1, "registers")
        self.check(HOPPER, 512, 64, 0, 2, "registers")
        self.check(TURING, 128, 100, 0, 4, "registers")  # 3,200 are 3,328: 4 a partition, and not 5
        # 2,304 as well: 28 warps are two blocks of 14. From 73 on it is 2,560: 24 warps, one block.
        self.check(TURING, 448, 72, 336, 2, "registers", "threads")
        self.check(TURING, 448, 73, 336, 1, "registers")

    def test_a_warp_is_in_one_of_four_partitions(self):
        # Of 5,376 three fit in 16,384, 12 in all; of 5,632 two, 8 in all, though 11 would fit in 65,536.
        self.check(TURING, 288, 168, 0, 1, "registers")
        self.check(TURING, 288, 169, 0, 0, "registers")
        self.check(TURING, 1024, 65, 0, 0, "registers")

    def test_shared_memory(self):
        self.check(TURING, 128, 32, 32 * KB, 2, "shared memory")
        self.check(TURING, 128, 32, 32 * KB + 1, 1, "shared memory")
        self.check(TURING, 128, 32, 64 * KB, 1, "shared memory")
        self.check(TURING, 128, 32, 64 * KB + 1, 0, "shared memory")
        # By 256 bytes: 10,880 are 11,008, of which 5 fit, and not 6; 4,095 are 4,096, 4,097 are 4,352.
        self.check(TURING, 128, 32, 10880, 5, "shared memory")
        self.check(TURING, 32, 32, 4095, 16, "shared memory", "blocks")
        self.check(TURING, 32, 32, 4097, 15, "shared memory")

    def test_a_kilobyte_of_each_block_is_the_systems(self):
        self.check(HOPPER, 128, 32, 113 * KB, 2, "shared memory")  # 2 x 114
        self.check(HOPPER, 128, 32, 113 * KB + 1, 1, "shared memory")
        self.check(HOPPER, 128, 32, 20096, 11, "shared memory")  # 11 x 21,120; by 256 it were 21,248
        self.check(HOPPER, 128, 32, 227 * KB, 1, "shared memory")
        self.check(HOPPER, 128, 32, 227 * KB + 1, 0, "shared memory")

    def test_threads_and_blocks(self):
        self.check(TURING, 32, 16, 0, 16, "blocks")
        self.check(HOPPER, 32, 16, 0, 32, "blocks")
        self.check(TURING, 384, 32, 0, 2, "threads")  # 12 warps: 24 of 32
        self.check(HOPPER, 384, 32, 0, 5, "registers", "threads")  # 60 of 64
        self.check(TURING, 33, 32, 0, 16, "threads", "blocks")  # 33 threads are 2 warps


class Floors(unittest.TestCase):
    N = 1 << 28

    def check(self, floor, read, written, milliseconds):
        self.assertEqual((float(floor.read), float(floor.written)), (read, written))
        self.assertAlmostEqual(1000 * floor.seconds(self.N, 320e9), milliseconds, places=6)

    def test_scans(self):
        self.check(floors.scan("u32"), 4, 4, 6.7108864)  # 2^31 bytes
        self.check(floors.scan("16 bytes"), 16, 16, 26.8435456)
        self.check(floors.scan_by_key("f64"), 12, 8, 16.777216)
        self.assertAlmostEqual(floors.scan("u32").seconds(self.N, 4.8e12), 0.000447392427, places=12)

    def test_compactions(self):
        self.check(floors.select("u32", "1", 3), 4, 0.046875, 3.3947648)
        self.check(floors.select_flagged("u32"), 5, 2, 5.8720256)
        self.check(floors.partition("u8"), 1, 1, 1.6777216)
        self.check(floors.unique("u64", 4), 8, 2, 8.388608)
        self.check(floors.unique_by_key("f64", 4), 12, 3, 12.582912)
        self.check(floors.run_length_encode("u32", 4), 4, 2, 5.0331648)  # a head and a length for four items

    def test_sorts(self):
        self.check(floors.sort_by_any("u32"), 4, 4, 6.7108864)
        self.check(floors.sort_by_passes("u32", 8), 20, 16, 30.1989888)  # 4 + 4 x 4 and 4 x 4
        self.check(floors.sort_by_passes("u32", 8, "u32"), 36, 32, 57.0425344)  # keys alone are counted
        self.check(floors.sort_by_passes("u64", 8), 72, 64, 114.0850688)
        self.assertEqual([floors.passes(key, 7) for key in ("u8", "u32", "u64")], [2, 5, 10])

    def test_rows_of_the_page(self):
        rows = floors.floors(floors.Constants(8, {"1": 3, "50": 128}, [1, 37], 4))
        names = [(row.operation, row.items) for row in rows]
        self.assertEqual(len(set(names)), len(names))
        for name in (("select if, 1 %", "u32"), ("unique, runs of 37", "u32"), ("radix sort, 8 passes", "u64 + u64")):
            self.assertIn(name, names)
        self.assertNotIn(("select if, 1 %", "u8"), names)


PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'scan' for 'sm_75'
ptxas info    : Function properties for scan
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 66 registers, used 1 barriers, 336 bytes smem
ptxas info    : Function properties for pass
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 80 registers, used 1 barriers, 16 bytes cumulative stack size
"""


class Reading(unittest.TestCase):
    def test_ptxas(self):
        self.assertEqual(kernels.read_ptxas(PTXAS), {"scan": Code(66, 336, 0, 0, 0), "pass": Code(80, 0, 16, 12, 8)})

    def test_representative_kernels(self):
        def launch(operation, n, kernel, symbol):
            return Launch(operation, "u32", n, kernel, symbol, 32, 0, 1)
        launches = [launch("scan", 9, "tiles", "a"), launch("scan", 9, "tiles", "b"), launch("scan", 9, "add", "c"),
                    launch("scan", 5, "tiles", "a"), launch("scan", 3, "tiles", "d"), launch("sort", 9, "add", "c")]
        # b is beside a; 5 items have the kernel of 9, and 3 another one; c of the sort is that of the scan.
        self.assertEqual([one.symbol for one in kernels.representative(launches)], ["a", "c", "d"])

    def test_a_kernel_that_was_not_compiled(self):
        with self.assertRaises(kernels.KernelError):
            kernels.read(PTXAS, "constant\tdigit bits\t8\nlaunch\tscan\tu32\t9\tscan\tanother\t32\t0\t1\n")


# Stands for nvcc: says what ptxas would, and makes a program that says what would be launched. NVCC has its faults.
NVCC = """#!{python}
import os, pathlib, sys
fault = os.environ.get("NVCC", "")
if "--version" in sys.argv:
    print("Cuda compilation tools, release 13.0, V" + ("13.1.2" if fault == "other" else "13.0.88"))
    sys.exit()
if fault == "error":
    sys.exit("it does not compile")
print({ptxas!r}.replace("66", "67" if fault == "registers" else "66"), file=sys.stderr)
launches = [("exclusive sum", "u32", "scan", 448, 0)]
launches += [("sort keys", "u32", "onesweep_kernel", 384, 4096)] * (3 if fault == "passes" else 4)
launches += [("sort keys", "u64", "onesweep_kernel", 384, 4096)] * 8
launches += [("sort pairs", "u32 + u32", "onesweep_kernel", 384, 4096)] * 4
lines = ["share 50 " + ("127" if fault == "other" else "128"), "run 4"]
lines = [line.replace(" ", "\\t") for line in lines]
lines += ["constant\\tdigit bits\\t8", "constant\\tkey run\\t4"]
for operation, items, kernel, threads, shared in launches:
    symbol = "scan" if kernel == "scan" else "pass"
    lines.append("\\t".join(map(str, ("launch", operation, items, 1 << 28, kernel, symbol, threads, shared, 1))))
program = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
program.write_text("#!{python}\\nprint(" + repr("\\n".join(lines)) + ")\\n")
program.chmod(0o755)
"""


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.nvcc = pathlib.Path(folder.name) / "nvcc"
        self.nvcc.write_text(NVCC.format(python=sys.executable, ptxas=PTXAS), encoding="utf-8")
        self.nvcc.chmod(self.nvcc.stat().st_mode | stat.S_IXUSR)
        self.page = pathlib.Path(folder.name) / "page.md"

    def run_it(self, *arguments, fault=""):
        return subprocess.run(
            [sys.executable, "-B", str(ROOT / "bench" / "report" / "architectures.py"), "--page", str(self.page),
             *arguments], capture_output=True, text=True, check=False,
            env={**os.environ, "CUDACXX": str(self.nvcc), "NVCC": fault})

    def write(self):
        ran = self.run_it()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return self.page.read_text(encoding="utf-8").splitlines()

    def test_page(self):
        lines = self.write()
        self.assertIn("Compiled by nvcc 13.0.88.", lines)
        rows = [line for line in lines if line.startswith(("| exclusive sum", "| sort keys, u32"))]
        self.assertEqual(rows, [
            "| exclusive sum, u32 | 2^28 | `scan` | 448 | 66 | none | 336 + 0 | 2 | 28 of 32 | registers, threads |",
            "| sort keys, u32 | 2^28 | `onesweep_kernel` | 384 | 80 | 16 B stack; spills: 12 B stored, 8 B loaded | "
            "0 + 4,096 | 2 | 24 of 32 | registers, threads |",
            "| exclusive sum, u32 | 2^28 | `scan` | 448 | 66 | none | 336 + 0 | 2 | 28 of 64 | registers |",
            "| sort keys, u32 | 2^28 | `onesweep_kernel` | 384 | 80 | 16 B stack; spills: 12 B stored, 8 B loaded | "
            "0 + 4,096 | 2 | 24 of 64 | registers |"])
        self.assertIn("| scan | u32 | 4 | 4 | 6.711 | 0.447 | 0.511 |", lines)
        self.assertIn("| select if, 50 % | u32 | 4 | 2 | 5.033 | 0.336 | 0.383 |", lines)

    def test_check(self):
        self.write()
        self.assertEqual(self.run_it("--check").returncode, 0)
        ran = self.run_it("--check", fault="registers")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("+| exclusive sum, u32 | 2^28 | `scan` | 448 | 67 |", ran.stdout)

    def test_another_compiler_is_held_to_the_floors(self):
        self.write()
        ran = self.run_it("--check", fault="other")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the floors have changed", ran.stdout)
        page = self.page.read_text(encoding="utf-8").replace("13.0.88", "12.8.1").replace("| 66 |", "| 65 |")
        self.page.write_text(page, encoding="utf-8")
        ran = self.run_it("--check")
        self.assertEqual(ran.returncode, 0)
        self.assertIn("its kernels are not compared", ran.stdout)

    def test_faults(self):
        for fault, words in (("error", "it does not compile"), ("passes", "has 3 passes, not 4")):
            ran = self.run_it(fault=fault)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(words, ran.stderr)
            self.assertNotIn("Traceback", ran.stderr)
            self.assertFalse(self.page.exists())
        ran = self.run_it("--check")
        self.assertEqual(ran.returncode, 2)  # there is no page


if __name__ == "__main__":
    unittest.main()
