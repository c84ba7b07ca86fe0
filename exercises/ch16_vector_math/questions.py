"""The questions of chapter 16, drawn for each student."""

import math


def pick(rng, choices):
    return choices[rng.integers(len(choices))]


def exponent(rng):
    number = float(pick(rng, [1, 1.25, 1.5, 1.75])) * 2.0 ** int(rng.integers(-9, 14))
    yield (f"Which number do the eight bits of the exponent of float32 {number} hold?",
           f"int(bits_of.single(f({number})) >> 23) & 255")  # fmt: skip


def gap(rng):
    number = int(rng.integers(3, 3000))
    yield (f"The gap from float32 {number} to the next larger float32 is 2**n. Which n?",
           f"int(np.log2(np.spacing(f({number}))))")  # fmt: skip


def nearest(rng):
    whole = int(rng.integers(-9, 10))
    number = whole + pick(rng, [0.5, -0.5, 1.5, 0.75])
    case = f"rounded.single(f({number}))"
    yield (f"`rounded.single(np.float32({number}))`, as a list of a float and an integer?",
           f"[float({case}[0]), int({case}[1])]")  # fmt: skip


def reduction(rng):
    number = round(float(rng.uniform(-40, 40)), 1)
    while abs(math.remainder(number, math.log(2))) > 0.3:
        number = round(float(rng.uniform(-40, 40)), 1)
    yield (f"`exp_split` of {number} has a whole k and a small r with {number} = k ln(2) + r, "
           "|r| at most 0.35. Which k?", f"int(exp_split.single(f({number}))[0])")  # fmt: skip


def logarithm(rng):
    number = float(pick(rng, [1, 1.25, 1.375, 1.5, 1.625, 1.75])) * 2.0 ** int(rng.integers(-5, 9))
    yield (f"`log_split.single(np.float32({number}))`, as a list `[m, k]`?",
           f"[float(n) for n in log_split.single(f({number}))]")  # fmt: skip


def lost(rng):
    n = int(rng.integers(24, 28))
    step = 2 ** (n - 23)
    added = int(pick(rng, [step // 2, step // 2 + step, step // 4 + step, 3 * step // 4, step]))
    start = 2**n + step * int(rng.integers(0, 2))
    yield (f"`np.float32({start}) + np.float32({added}) - np.float32({start})`, each operation "
           f"rounded to float32? ({2**n} is 2**{n}.)",
           f"float(f({start}) + f({added}) - f({start}))")  # fmt: skip


def draw_16_3(rng):
    templates = [exponent, gap, nearest, reduction, logarithm, lost]
    for k in sorted(rng.permutation(len(templates))[:4]):
        yield from templates[k](rng)
