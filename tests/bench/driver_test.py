#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py run, with stand-ins for the programs that write canned outputs."""

import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

from cases import PEER, ROOT, SCAN

# Writes the output that belongs to its own n-th call, and what it was called with.
PROGRAM = """#!{python}
import pathlib, shutil, sys
calls = pathlib.Path(__file__ + ".calls")
number = len(calls.read_text().splitlines()) if calls.exists() else 0
calls.write_text((calls.read_text() if calls.exists() else "") + " ".join(sys.argv[1:]) + chr(10))
out = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--benchmark_out=")][0]
outputs = {outputs!r}
print("no GPU in sight", file=sys.stderr)
shutil.copy(outputs[number % len(outputs)], out)
sys.exit({status})
"""


class Driver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, outputs, status=0):
        path = self.folder / name
        path.write_text(PROGRAM.format(python=sys.executable, outputs=outputs, status=status), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def bench(self, *arguments):
        return subprocess.run([sys.executable, "-B", str(ROOT / "bench" / "report" / "bench.py"), "run",
                               *arguments, "--out", str(self.folder / "out")],
                              capture_output=True, text=True, check=False)

    def calls(self, name):
        return (self.folder / f"{name}.calls").read_text(encoding="utf-8").splitlines()

    def test_two_passes_of_all_programs(self):
        ran = self.bench(self.program("bench_scan", SCAN), self.program("bench_peer", [PEER]))
        self.assertEqual(ran.returncode, 1, ran.stderr)  # for the wrong result
        self.assertIn("exclusive_max/u8, n = 268435456, cub: wrong result: 3 of", ran.stderr)
        self.assertEqual([len(self.calls(name)) for name in ("bench_scan", "bench_peer")], [2, 2])
        self.assertIn("| scan | CUB 3.0.1 | 3 | 2 | 0 | 1 | 1.24 |", ran.stdout)
        for suffix in ("json", "md", "svg"):
            self.assertTrue((self.folder / "out" / f"model-x.{suffix}").is_file())

    def test_quick_is_one_pass(self):
        self.bench(self.program("bench_scan", SCAN), "--quick", "--filter", "exclusive_sum")
        (call,) = self.calls("bench_scan")
        self.assertTrue({"--quick", "--benchmark_filter=exclusive_sum"} <= set(call.split()), call)

    def output(self, name, factor=1.0, error="does not fit"):
        """The first pass with libscan's times changed, and another reason for the row without one."""
        document = json.loads(pathlib.Path(SCAN[0]).read_text(encoding="utf-8"))
        for entry in document["benchmarks"]:
            if entry["name"].startswith("exclusive_sum/u32/n:1024/libscan"):
                entry["real_time"] *= factor
            if "error_message" in entry:
                entry["error_message"] = error
        path = self.folder / name
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)

    def test_a_row_that_does_not_fit_is_no_failure(self):
        ran = self.bench(self.program("bench_scan", [self.output("output.json")]))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("does not fit", (self.folder / "out" / "model-x.md").read_text(encoding="utf-8"))

    def test_compare(self):
        self.bench(self.program("bench_scan", [self.output("old-output.json")]))
        old = str(self.folder / "old.json")
        (self.folder / "out" / "model-x.json").rename(old)
        for factor, status, words in ((1.2, 1, "1 slower, 0 faster, 3 of 4"), (0.8, 0, "0 slower, 1 faster, 3 of 4")):
            program = self.program("bench_new", [self.output("new-output.json", factor)])
            ran = self.bench(program, "--compare", old)
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertIn(f"libscan: {words} rows within their spread", ran.stdout)

    def test_a_program_that_fails(self):
        ran = self.bench(self.program("bench_scan", SCAN, status=3))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("no GPU in sight", ran.stderr)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
