# SPDX-License-Identifier: Apache-2.0
"""How many blocks of a kernel a multiprocessor can hold at once. Source of the rules and of the limits: NVIDIA's
cuda_occupancy.h, and the compute capabilities in the CUDA C++ Programming Guide."""

from typing import Dict, NamedTuple, Tuple

WARP = 32
PARTITIONS = 4  # of a multiprocessor; each has a quarter of the registers
REGISTER_UNIT = 256  # a warp gets its registers by so many


class Architecture(NamedTuple):
    name: str
    gpu: str
    multiprocessors: int
    registers: int  # of a multiprocessor
    threads: int  # of a multiprocessor
    blocks: int
    shared: int  # bytes of a multiprocessor, where it gives all it can
    shared_of_block: int  # most that a block can ask for
    shared_reserved: int  # that each block costs beyond what it asks for
    shared_unit: int
    bandwidth: float  # nominal, bytes a second

    @property
    def number(self) -> int:
        return int(self.name.split("_")[1])


KB = 1024
TURING = Architecture("sm_75", "T4", 40, 64 * KB, 1024, 16, 64 * KB, 64 * KB, 0, 256, 320e9)
HOPPER = Architecture("sm_90", "H200", 132, 64 * KB, 2048, 32, 228 * KB, 227 * KB, 1 * KB, 128, 4.8e12)
ARCHITECTURES = (TURING, HOPPER)


class Residence(NamedTuple):
    blocks: int  # of a multiprocessor
    warps: int
    limits: Tuple[str, ...]  # what there would have to be more of


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def limits(of: Architecture, threads: int, registers: int, shared: int) -> Dict[str, int]:
    """Blocks that each resource allows; registers are those of a thread, shared memory is static and dynamic."""
    warps = -(-threads // WARP)
    each = _up(max(registers, 1) * WARP, REGISTER_UNIT)
    # A warp's registers are those of one partition.
    by_registers = of.registers // PARTITIONS // each * PARTITIONS // warps
    by_shared = of.shared // max(_up(shared + of.shared_reserved, of.shared_unit), 1)
    return {"registers": by_registers, "shared memory": by_shared, "threads": of.threads // WARP // warps,
            "blocks": of.blocks}


def residence(of: Architecture, threads: int, registers: int, shared: int) -> Residence:
    allowed = limits(of, threads, registers, shared)
    blocks = min(allowed.values())
    return Residence(blocks, blocks * -(-threads // WARP),
                     tuple(name for name, count in allowed.items() if count == blocks))
