# SPDX-License-Identifier: Apache-2.0
"""Numbers as the table, the plot and the comparison print them."""

import math


def size(n: int) -> str:
    if n > 1 and n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    power = round(math.log10(n)) if n > 0 else 0
    if power > 2 and n == 10 ** power:
        return f"10^{power}"
    return f"{n}"


def time(us: float) -> str:
    """Three or four digits."""
    for limit, digits in ((10, 2), (1000, 1)):
        if us < limit:
            return f"{us:.{digits}f}"
    return f"{us:.0f}"


def rate(gigabytes_per_second: float) -> str:
    return f"{gigabytes_per_second:.{0 if gigabytes_per_second >= 100 else 1}f}"


def percent(fraction: float) -> str:
    return f"{100 * fraction:.1f}%"
