#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Canned outputs, merged, as a table and as a plot; the figures are worked out by hand."""

import json
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from cases import BIG, EVERYTHING, MODULES, PEER, ROOT, SCAN

import overview
import plot
import readme
import results
import table
import text
from results import Key, Stat

SUM, MAX = "exclusive_sum/u32", "exclusive_max/u8"


def write(document, folder):
    path = pathlib.Path(folder) / "file.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


class Reading(unittest.TestCase):
    def test_repetitions_of_all_passes_count(self):
        measured = results.read(EVERYTHING)
        self.assertEqual(measured.rows[Key(SUM, 1024, "libscan")], Stat(8.0, 7.9, 8.2))
        self.assertEqual(measured.rows[Key(SUM, BIG, "libscan")], Stat(500.0, 499.0, 504.0))
        self.assertEqual(measured.rows[Key(SUM, 1024, "peer")], Stat(11.0, 11.0, 11.0))
        self.assertEqual(measured.repetitions, 6)

    def test_a_row_with_an_error_has_no_time(self):
        measured = results.read(EVERYTHING)
        key = Key(MAX, BIG, "cub")
        self.assertNotIn(key, measured.rows)
        self.assertIn("3 of 268435456", measured.errors[key])

    def test_one_failed_pass_drops_the_row(self):
        document = json.loads(pathlib.Path(SCAN[1]).read_text(encoding="utf-8"))
        for entry in document["benchmarks"]:
            if entry["name"].startswith(f"{SUM}/n:1024/libscan"):
                entry.update(error_occurred=True, error_message="no")
        with tempfile.TemporaryDirectory() as folder:
            measured = results.read([SCAN[0], write(document, folder)])
        self.assertNotIn(Key(SUM, 1024, "libscan"), measured.rows)

    def test_context_of_both_programs_and_nothing_of_the_host(self):
        context = results.read(EVERYTHING).context
        self.assertEqual((context["cub_version"], context["peer_version"]), ("3.0.1", "3.6.0"))
        self.assertFalse({"host_name", "executable"} & set(context))

    def test_units(self):
        document = json.loads(pathlib.Path(PEER).read_text(encoding="utf-8"))
        for entry in document["benchmarks"]:
            entry["time_unit"] = "ms"
        with tempfile.TemporaryDirectory() as folder:
            measured = results.read([write(document, folder)])
        self.assertEqual(measured.rows[Key(SUM, 1024, "peer")].median, 11000.0)

    def test_what_is_written_reads_the_same(self):
        measured = results.read(EVERYTHING)
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "merged.json")
            results.write(measured, path)
            again = results.read([path])
            document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        self.assertEqual((again.rows, again.errors, again.bytes, again.repetitions),
                         (measured.rows, measured.errors, measured.bytes, measured.repetitions))
        self.assertEqual(table.markdown(again), table.markdown(measured))
        # Google Benchmark's own tools want these.
        for entry in document["benchmarks"]:
            self.assertTrue({"name", "run_name", "run_type"} <= set(entry))

    def test_unusable_files(self):
        good = json.loads(pathlib.Path(PEER).read_text(encoding="utf-8"))
        other_device = {**good, "context": {**good["context"], "device": "Another"}}
        no_time = json.loads(json.dumps(good))
        no_time["benchmarks"][0]["real_time"] = 0
        foreign = {**good, "benchmarks": [{"name": "BM_something", "real_time": 1}]}
        with tempfile.TemporaryDirectory() as folder:
            for document in ([], {}, foreign, no_time, {**good, "benchmarks": []}):
                with self.assertRaises(results.ResultError, msg=str(document)[:80]):
                    results.read([write(document, folder)])
            with self.assertRaisesRegex(results.ResultError, "Another"):
                results.read([SCAN[0], write(other_device, folder)])
            with self.assertRaises(results.ResultError):
                results.read([str(pathlib.Path(folder) / "absent.json")])


class Cells(unittest.TestCase):
    def setUp(self):
        self.cells = {(cell.workload, cell.n): cell for cell in results.cells(results.read(EVERYTHING))}

    def test_copies_are_no_cells(self):
        self.assertEqual(set(self.cells), {(SUM, 1024), (SUM, BIG), (MAX, 1024), (MAX, BIG)})

    def test_rates(self):
        cell = self.cells[SUM, BIG]
        self.assertAlmostEqual(cell.gigabytes_per_second(cell.ours), 8 * BIG / 500e-6 / 1e9)
        self.assertAlmostEqual(cell.of_copy(), 400 / 500)
        self.assertAlmostEqual(self.cells[MAX, BIG].of_copy(), 80 / 100)  # a copy of fewer bytes

    def test_ratios(self):
        cell = self.cells[SUM, BIG]
        self.assertAlmostEqual(cell.ratio("cub"), 1.4)
        self.assertEqual(cell.better_cub(), "peer")
        self.assertIsNone(self.cells[MAX, BIG].ratio("cub"))

    def test_a_difference_within_the_spread_is_none(self):
        self.assertEqual(self.cells[SUM, BIG].verdict("cub"), "faster")
        self.assertEqual(self.cells[SUM, BIG].verdict("peer"), "same")  # 500 [499, 504] and 502
        self.assertEqual(self.cells[MAX, 1024].verdict("cub"), "slower")


class Table(unittest.TestCase):
    def setUp(self):
        self.lines = table.markdown(results.read(EVERYTHING), "overview.svg", "plot.svg").split("\n")

    def test_summary(self):
        # 1.5, 1.4 and 0.9; 1.375, 1.004, 1.2 and 2; and of these the lesser ones.
        self.assertIn("| scan | CUB 3.0.1 | 3 | 2 | 0 | 1 | 1.24 | 0.90 (exclusive_max/u8, n = 2^10) |", self.lines)
        self.assertIn("| scan | CUB 3.6.0 (peer) | 4 | 3 | 1 | 0 | 1.35 | 1.00 (exclusive_sum/u32, n = 2^28) |",
                      self.lines)
        self.assertIn("| scan | the better CUB | 4 | 2 | 1 | 1 | 1.26 | 0.90 (exclusive_max/u8, n = 2^10) |",
                      self.lines)
        # 0.75, 0.8, 0.5 and 0.8.
        self.assertIn("| scan | a copy of as many bytes | 4 |  |  |  | 0.70 | 0.50 (exclusive_max/u8, n = 2^10) |",
                      self.lines)

    def test_every_cell(self):
        self.assertIn("| n | libscan, us | spread | GB/s | of copy | CUB 3.0.1, us | ratio | "
                      "CUB 3.6.0 (peer), us | ratio | Thrust, us | ratio | to the better |", self.lines)
        self.assertIn("| 2^10 | 8.00 | 3.7% | 1.0 | 0.75 | 12.0 | 1.50 | 11.0 | 1.38 | 20.0 | 2.50 | 1.38 |",
                      self.lines)
        self.assertIn("| 2^28 | 500.0 | 1.0% | 4295 | 0.80 | 700.0 | 1.40 | 502.0 | 1.00 | 710.0 | 1.42 "
                      "| 1.00 |", self.lines)
        self.assertIn("| 2^28 | 100.0 | 6.0% | 5369 | 0.80 |  |  | 200.0 | 2.00 | 2.00 |", self.lines)

    def test_losses_and_errors_are_named(self):
        self.assertIn("| exclusive_max/u8, n = 2^10 | 10.0 | 9.00 | 0.90 | CUB 3.0.1 |", self.lines)
        self.assertIn("| exclusive_max/u8, n = 2^28, CUB 3.0.1 | wrong result: 3 of 268435456 items differ |",
                      self.lines)

    def test_without_a_peer(self):
        lines = table.markdown(results.read(SCAN)).split("\n")
        self.assertFalse([line for line in lines if "better" in line or "peer" in line])

    def test_tables_are_rectangular(self):
        for before, line in zip(self.lines, self.lines[1:]):
            if before.startswith("|") and line.startswith("|"):
                self.assertEqual(before.count("|"), line.count("|"), line)


class Plot(unittest.TestCase):
    def setUp(self):
        self.root = ElementTree.fromstring(plot.svg(results.read(EVERYTHING)))
        name = "{http://www.w3.org/2000/svg}"
        self.panels = [group for group in self.root.iter(f"{name}g") if group.get("class") == "panel"]
        self.polylines = [{line.get("class"): [tuple(map(float, point.split(",")))
                                               for point in line.get("points").split()]
                           for line in panel.iter(f"{name}polyline")} for panel in self.panels]
        self.bars = [[bar for bar in panel.iter(f"{name}rect")] for panel in self.panels]

    def test_a_panel_for_each_workload(self):
        self.assertEqual(len(self.panels), 2)
        self.assertEqual(set(self.polylines[0]), {"libscan", "cub", "peer", "thrust", "copy"})
        self.assertEqual(set(self.polylines[1]), {"libscan", "cub", "peer", "copy"})
        self.assertEqual(len(self.polylines[1]["cub"]), 1)  # the other one failed

    def test_heights_are_rates(self):
        top, height = plot.LINES
        ends = {who: points[-1][1] for who, points in self.polylines[0].items()}
        # Heights above the axis are as the rates, 1 / time.
        up = {who: top + height - y for who, y in ends.items()}
        self.assertAlmostEqual(up["libscan"] / up["copy"], 400 / 500, places=2)
        self.assertAlmostEqual(up["cub"] / up["copy"], 400 / 700, places=2)
        self.assertTrue(all(top <= y <= top + height for y in ends.values()))

    def test_bars_stand_on_one(self):
        top, height = plot.BARS
        one = top + height / 2  # the axes end at 2
        below = [float(bar.get("y")) for bar in self.bars[0]]
        self.assertEqual(len(below), 4)
        for bar in self.bars[0]:
            self.assertAlmostEqual(float(bar.get("y")) + float(bar.get("height")), one, delta=0.35)
        self.assertAlmostEqual(below[0], top + height / 4, delta=0.11)  # 1.5
        loss = [bar for bar in self.bars[1] if bar.get("class") == "cub"][0]
        self.assertAlmostEqual(float(loss.get("y")), one, delta=0.11)
        self.assertAlmostEqual(float(loss.get("height")), 0.1 * height / 2, delta=0.11)

    def test_everything_is_inside(self):
        width, height = plot.PANEL
        for lines, bars in zip(self.polylines, self.bars):
            for x, y in (point for points in lines.values() for point in points):
                self.assertTrue(0 <= x <= width and 0 <= y <= height)
            for bar in bars:
                self.assertTrue(0 <= float(bar.get("x")) <= width - float(bar.get("width")))

    def test_names_are_escaped(self):
        measured = results.read(EVERYTHING)
        measured.context["device"] = "A <&> B"
        ElementTree.fromstring(plot.svg(measured))


class Readme(unittest.TestCase):
    def test_only_the_block_changes(self):
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / "README.md"
            path.write_text("before\n" + readme.BEGIN + "old\n" + readme.END + "after\n", encoding="utf-8")
            once = readme.replace(path, results.read(EVERYTHING), pathlib.Path(work) / "results" / "gpu.json")
            path.write_text(once, encoding="utf-8")
            self.assertEqual(once, readme.replace(path, results.read(EVERYTHING),
                                                  pathlib.Path(work) / "results" / "gpu.json"))
        self.assertTrue(once.startswith("before\n" + readme.BEGIN) and once.endswith(readme.END + "after\n"))
        self.assertIn("| scan | 4 | 2 | 1 | 1 | 1.26 | 0.90 (exclusive_max/u8, n = 2^10) |\n", once)
        self.assertIn("(results/gpu-overview.svg)", once)
        self.assertNotIn("old", once)

    def test_without_marks(self):
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / "README.md"
            path.write_text("nothing\n", encoding="utf-8")
            with self.assertRaises(results.ResultError):
                readme.replace(path, results.read(EVERYTHING), path)

    def test_the_projects_own_is_that_of_the_results(self):
        kept = "bench/results/h200.json"
        changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", kept], cwd=ROOT, check=False)
        if changed.returncode == 1:
            self.skipTest(f"{kept} is not the one that is committed: somebody has measured anew")
        self.assertEqual(readme.replace(ROOT / "README.md", results.read([str(ROOT / kept)]), ROOT / kept),
                         (ROOT / "README.md").read_text(encoding="utf-8"),
                         f"bench/report/bench.py readme {kept} README.md")


class Overview(unittest.TestCase):
    def setUp(self):
        self.root = ElementTree.fromstring(overview.svg(results.read(EVERYTHING)))
        name = "{http://www.w3.org/2000/svg}"
        self.boxes = [box for box in self.root.iter(f"{name}rect") if box.get("class") == "cell"]
        self.words = [words.text for words in self.root.iter(f"{name}text")]

    def test_a_box_for_each_cell_with_its_ratio(self):
        self.assertEqual(len(self.boxes), 4)
        # To the better CUB: 1.375, 502 / 500, 9 / 10, and 2.
        for ratio, colour in ((1.375, True), (1.004, True), (0.9, False), (2, True)):
            self.assertIn(f"{ratio:.2f}", self.words)
            red, _, blue = (int(overview.colour(ratio)[i:i + 2], 16) for i in (1, 3, 5))
            self.assertEqual(blue >= red, colour)

    def test_colours_end(self):
        self.assertEqual(overview.colour(2.0), overview.colour(100.0))
        self.assertEqual(overview.colour(0.7), overview.colour(0.01))
        self.assertNotEqual(overview.colour(1.2), overview.colour(1.4))

    def test_everything_is_inside(self):
        width, height = float(self.root.get("width")), float(self.root.get("height"))
        for box in self.boxes:
            self.assertLess(float(box.get("x")) + float(box.get("width")), width)
            self.assertLess(float(box.get("y")) + float(box.get("height")), height)

    def test_the_headlines_that_were_measured(self):
        self.assertEqual(self.words.count("exclusive_sum/u32"), 2)  # the lines, and the table's row
        self.assertEqual(self.words.count("sort_keys/u32"), 0)


class Modules(unittest.TestCase):
    def setUp(self):
        self.measured = results.read([MODULES, *SCAN])
        self.lines = table.markdown(self.measured).split("\n")

    def test_summary_of_each_and_of_all(self):
        start = self.lines.index("| module | against | cells | faster | same | slower | geometric mean | worst |")
        rows = self.lines[start + 2:self.lines.index("", start)]
        self.assertEqual([row for row in rows if "CUB" in row], [
            "| scan | CUB 3.0.1 | 3 | 2 | 0 | 1 | 1.24 | 0.90 (exclusive_max/u8, n = 2^10) |",
            "| radixsort | CUB 3.0.1 | 2 | 1 | 1 | 0 | 1.41 | 1.00 (sort_keys/u32, n = 2^28) |",
            "| compaction | CUB 3.0.1 | 1 | 0 | 0 | 1 | 0.80 | 0.80 (select_if_50/u8, n = 2^10) |",
            # The sixth root of 1.5 x 1.4 x 0.9 x 2 x 1 x 0.8.
            "| all | CUB 3.0.1 | 6 | 3 | 1 | 2 | 1.20 | 0.80 (select_if_50/u8, n = 2^10) |"])

    def test_one_module_has_no_row_for_all(self):
        self.assertFalse([line for line in table.summary(results.read(SCAN)) if line.startswith("| all ")])

    def test_a_table_of_workloads_for_each(self):
        heads = [line for line in self.lines if line.endswith("| of copy |") and not line.startswith("| n ")]
        self.assertEqual([head.split(" ")[1] for head in heads], ["scan", "radixsort", "compaction"])
        self.assertIn("| sort_keys/u32 | 1.41 / 1.00 | 0.10 |", self.lines)

    def test_every_cell_is_below_its_module(self):
        heads = [line.lstrip("# ") for line in self.lines if line.startswith(("## Every cell", "### "))]
        self.assertEqual(heads, ["Every cell: scan", SUM, MAX, "Every cell: radixsort", "sort_keys/u32",
                                 "Every cell: compaction", "select_if_50/u8"])

    def test_the_nearest_copy_gives_the_rate(self):
        cells = {(cell.workload, cell.n): cell for cell in results.cells(self.measured)}
        # 2048 bytes take 5 us; 1536 of them 3.75.
        self.assertAlmostEqual(cells["select_if_50/u8", 1024].of_copy(), 3.75 / 5)
        self.assertAlmostEqual(cells["sort_keys/u32", 1024].of_copy(), 6 / 10)

    def test_unknown_operations_are_others(self):
        self.assertEqual([results.module_of(name) for name in ("exclusive_sum/u32", "sort_pairs_equal/u32_v16",
                                                               "run_length_encode_runs_4/u8", "transpose/f32")],
                         ["scan", "radixsort", "compaction", "other"])

    def test_panels_do_not_share_rows(self):
        root = ElementTree.fromstring(plot.svg(self.measured))
        name = "{http://www.w3.org/2000/svg}"
        places = [group.get("transform") for group in root.iter(f"{name}g") if group.get("class") == "panel"]
        row = plot.PANEL[1] + plot.TITLE
        top = plot.HEADER + plot.TITLE
        self.assertEqual(places, [f"translate(0,{top})", f"translate({plot.PANEL[0]},{top})",
                                  f"translate(0,{top + row})", f"translate(0,{top + 2 * row})"])
        self.assertEqual(int(root.get("height")), top + 2 * row + plot.PANEL[1])
        titles = [words.text for words in root.iter(f"{name}text")]
        self.assertTrue({"scan", "radixsort", "compaction"} <= set(titles))


class Text(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual([text.size(n) for n in (1, 1000, 1024, BIG, 10 ** 7, 12345)],
                         ["1", "10^3", "2^10", "2^28", "10^7", "12345"])

    def test_file_names(self):
        self.assertEqual([results.slug(name) for name in ("NVIDIA H200", "Tesla T4", "NVIDIA A100-SXM4-80GB",
                                                          "../x", "??")],
                         ["h200", "tesla-t4", "a100-sxm4-80gb", "x", "unknown"])


if __name__ == "__main__":
    unittest.main()
