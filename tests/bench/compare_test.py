#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What counts as a move between two results."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from cases import BIG, EVERYTHING, ROOT

import compare
import results
from results import Key, Stat

BIG_SUM = Key("exclusive_sum/u32", BIG, "libscan")  # 500 [499, 504]
BIG_CUB = BIG_SUM._replace(who="cub")  # 700 [698, 702]


class Moves(unittest.TestCase):
    def setUp(self):
        self.old = results.read(EVERYTHING)
        self.new = results.read(EVERYTHING)

    def report(self, tolerance=compare.TOLERANCE):
        return compare.report(self.old, self.new, tolerance)

    def test_nothing_moved(self):
        words, status = self.report()
        self.assertEqual(status, 0)
        self.assertIn("libscan: 0 slower, 0 faster, 4 of 4 rows within their spread", words)

    def test_slower(self):
        self.new.rows[BIG_SUM] = Stat(510.0, 509.0, 511.0)
        words, status = self.report()
        self.assertEqual(status, 1)
        self.assertIn("slower x 1.020  exclusive_sum/u32 n = 2^28: 500.0 -> 510.0 us", words)

    def test_faster(self):
        self.new.rows[BIG_SUM] = Stat(490.0, 489.0, 491.0)
        words, status = self.report()
        self.assertEqual(status, 0)
        self.assertIn("faster x 0.980", words)

    def test_within_the_spread_of_the_old(self):
        self.new.rows[BIG_SUM] = Stat(504.9, 504.8, 505.0)
        self.assertEqual(self.report(tolerance=0)[1], 0)
        self.new.rows[BIG_SUM] = Stat(505.1, 505.0, 505.2)
        self.assertEqual(self.report(tolerance=0)[1], 1)

    def test_within_the_spread_of_the_new(self):
        self.new.rows[BIG_SUM] = Stat(530.0, 500.0, 531.0)
        self.assertEqual(self.report()[1], 0)
        self.new.rows[BIG_SUM] = Stat(530.0, 502.0, 531.0)
        self.assertEqual(self.report()[1], 1)

    def test_tolerance(self):
        self.old.rows[BIG_SUM] = Stat(500.0, 500.0, 500.0)
        self.new.rows[BIG_SUM] = Stat(504.0, 504.0, 504.0)
        self.assertEqual(self.report()[1], 0)
        self.assertEqual(self.report(tolerance=0.005)[1], 1)

    def test_others_do_not_fail(self):
        self.new.rows[BIG_CUB] = Stat(900.0, 900.0, 900.0)
        words, status = self.report()
        self.assertEqual(status, 0)
        self.assertIn("1 of 13 rows moved", words)

    def test_a_row_that_fails_now(self):
        del self.new.rows[BIG_SUM]
        self.new.errors[BIG_SUM] = "wrong result: 1 of 2 items differ"
        words, status = self.report()
        self.assertEqual(status, 1)
        self.assertIn("failed exclusive_sum/u32 n = 2^28: wrong result", words)

    def test_a_row_that_was_left_out(self):
        del self.new.rows[BIG_SUM]
        words, status = self.report()
        self.assertEqual(status, 0)
        self.assertIn("1 rows of the old results were not measured now", words)

    def test_another_gpu(self):
        self.new.context["device"] = "NVIDIA Model Y"
        self.assertEqual(self.report()[1], 2)

    def test_nothing_in_common(self):
        self.new.rows.clear()
        self.assertEqual(self.report()[1], 2)


class Command(unittest.TestCase):
    def run_compare(self, factor):
        bench = str(ROOT / "bench" / "report" / "bench.py")
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, "-B", bench, "report", *EVERYTHING, "--out", folder],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            old = pathlib.Path(folder) / "model-x.json"
            self.assertTrue(old.with_suffix(".md").is_file() and old.with_suffix(".svg").is_file())
            document = json.loads(old.read_text(encoding="utf-8"))
            for entry in document["benchmarks"]:
                if entry["run_name"].endswith("/libscan"):
                    entry["real_time"] *= factor
            new = pathlib.Path(folder) / "new.json"
            new.write_text(json.dumps(document), encoding="utf-8")
            return subprocess.run([sys.executable, "-B", bench, "compare", str(old), str(new)],
                                  capture_output=True, text=True, check=False)

    def test_exit_status(self):
        for factor, status, words in ((1.0, 0, "0 slower, 0 faster"), (1.2, 1, "4 slower, 0 faster"),
                                      (0.8, 0, "0 slower, 4 faster")):
            ran = self.run_compare(factor)
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertIn(words, ran.stdout)

    def test_absent_file(self):
        bench = str(ROOT / "bench" / "report" / "bench.py")
        ran = subprocess.run([sys.executable, "-B", bench, "compare", "absent", "absent"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertNotIn("Traceback", ran.stderr)


if __name__ == "__main__":
    unittest.main()
