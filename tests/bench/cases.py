# SPDX-License-Identifier: Apache-2.0
"""What the tests of the scripts share. The canned outputs are two passes of a program and one of the peer's; and rows
of two other modules."""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get("LIBSCAN_SOURCE", HERE.parent.parent))
sys.path.insert(0, str(ROOT / "bench" / "report"))

SCAN = [str(HERE / "data" / f"scan-{number}.json") for number in (1, 2)]
PEER = str(HERE / "data" / "peer.json")
EVERYTHING = [*SCAN, PEER]
MODULES = str(HERE / "data" / "modules.json")
BIG = 1 << 28
