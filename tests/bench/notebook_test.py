#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The notebook is a notebook, and what it runs exists here."""

import ast
import json
import re
import subprocess
import unittest

from cases import ROOT

# What may stand in a cell beside run.sh: getting the repository, and showing files in the notebook.
CLONE = '!git clone "$REPOSITORY" libscan'
ENTER = "%cd libscan"
MODULES = {"glob", "IPython.display", "google.colab"}


class Notebook(unittest.TestCase):
    def setUp(self):
        self.path = ROOT / "bench" / "t4_colab.ipynb"
        self.notebook = json.loads(self.path.read_text(encoding="utf-8"))
        self.code = [cell for cell in self.notebook["cells"] if cell["cell_type"] == "code"]
        self.lines = [line.rstrip("\n") for cell in self.code for line in cell["source"]]

    def test_format(self):
        """nbformat 4, by hand: its validator is no part of Python."""
        self.assertEqual(self.notebook["nbformat"], 4)
        self.assertGreaterEqual(self.notebook["nbformat_minor"], 5)
        self.assertEqual(set(self.notebook), {"nbformat", "nbformat_minor", "metadata", "cells"})
        ids = [cell["id"] for cell in self.notebook["cells"]]
        self.assertEqual(len(set(ids)), len(ids))
        for cell in self.notebook["cells"]:
            self.assertRegex(cell["id"], r"^[a-zA-Z0-9-_]{1,64}$")
            self.assertIn(cell["cell_type"], ("code", "markdown"))
            self.assertIsInstance(cell["metadata"], dict)
            self.assertTrue(all(isinstance(line, str) for line in cell["source"]))
            self.assertTrue(all(line.endswith("\n") for line in cell["source"][:-1]))
            wanted = {"id", "cell_type", "metadata", "source"}
            if cell["cell_type"] == "code":
                wanted |= {"outputs", "execution_count"}
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
            self.assertEqual(set(cell), wanted)
        self.assertEqual(self.notebook["metadata"]["accelerator"], "GPU")

    def test_the_repository_is_a_placeholder_at_the_top(self):
        first = "".join(self.code[0]["source"])
        self.assertRegex(first, r'(?m)^REPOSITORY = "https://example\.invalid/[^"]*"  # a placeholder')

    def test_commands(self):
        commands = [line for line in self.lines if line.startswith(("!", "%"))]
        self.assertEqual(commands[:2], [CLONE, ENTER])
        ours = commands[2:]
        self.assertIn("!./run.sh bench", ours)
        helped = subprocess.run([str(ROOT / "run.sh"), "help"], capture_output=True, text=True, check=True).stdout
        options = subprocess.run([str(ROOT / "run.sh"), "bench", "--help"], capture_output=True, text=True,
                                 check=True).stdout
        for command in ours:
            words = command.split()
            self.assertEqual(words[0], "!./run.sh", command)
            self.assertTrue(re.search(rf"(?m)^  {words[1]}\b", helped), command)
            for word in words[2:]:
                if word.startswith("--"):
                    self.assertTrue(re.search(rf"(?m)^  {word}\b", options), command)

    def test_the_rest_only_shows(self):
        python = "\n".join(line for line in self.lines if not line.startswith(("!", "%")))
        for node in ast.walk(ast.parse(python)):
            if isinstance(node, ast.Import):
                self.assertTrue({name.name for name in node.names} <= MODULES)
            if isinstance(node, ast.ImportFrom):
                self.assertIn(node.module, MODULES)
            if isinstance(node, ast.Name):
                self.assertNotIn(node.id, ("eval", "exec", "__import__", "get_ipython"))


if __name__ == "__main__":
    unittest.main()
