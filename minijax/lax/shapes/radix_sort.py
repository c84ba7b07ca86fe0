"""Long rows in order, digit by digit, in kernels.

A key becomes a word: an unsigned integer that is in order where the key is. The words are put in
order by their lowest digit, then by the next one, and so on; numbers of one digit stay as they
come, so that the order by the digits below holds among them. A pass counts each digit, so that it
knows where its first number goes (Knuth, The Art of Computer Programming, volume 3, 5.2.5).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minijax.lax.kernel_parts import Part

LONG = 1 << 12  # numbers of a row, from which on fewer passes outweigh more digits to count
HUGE = 1 << 18  # numbers of a row, from which on so many digits lie too far apart in memory

# The words so far are in {words} from f on, and the next ones go there from g on.
_PASSES = """for d in range({passes}):
    {w} = {words}[f]
    if {counts}[d * {base} + {digit}] < {n}:
        i = 0
        for k in range({base}):
            j = int64({counts}[d * {base} + k])
            {counts}[d * {base} + k] = {index}(i)
            i = i + j
        for k in range({n}):
            {w} = {words}[f + k]
            j = d * {base} + {digit}
            i = int64({counts}[j])
            {counts}[j] = {index}(i + 1)
            {words}[g + i] = {w}{carry}
        i = f
        f = g
        g = i"""


def word_type(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"uint{8 * dtype.itemsize}")


def _word_lines(a: str, w: str, dtype: np.dtype) -> list[str]:
    """How a key's word is made: zeros have one word, and NaNs have the last."""
    word, bits = word_type(dtype), 8 * dtype.itemsize
    sign, full = f"{word}({1 << (bits - 1)})", f"{word}({(1 << bits) - 1})"
    if dtype.kind == "f":
        return [
            f"{w} = {dtype}({a}).view({word})",
            f"{w} = {word}({w} ^ {full} if {w} >= {sign} else {w} ^ {sign})",
            f"{w} = {sign} if {a} == 0 else {w}", f"{w} = {full} if {a} != {a} else {w}",
        ]  # fmt: skip
    text = f"{word}({a})" if dtype.kind in "bu" else f"{word}({dtype}({a}).view({word}) ^ {sign})"
    return [f"{w} = {text}"]


def _key_text(w: str, dtype: np.dtype) -> str:
    """The key of a word; of a float that is no zero, and no NaN."""
    word, bits = word_type(dtype), 8 * dtype.itemsize
    sign, full = f"{word}({1 << (bits - 1)})", f"{word}({(1 << bits) - 1})"
    if dtype.kind == "f":
        return f"{word}({w} ^ {sign} if {w} >= {sign} else {w} ^ {full}).view({dtype})"
    if dtype.kind in "bu":
        return w if dtype.kind == "u" else f"{w} != 0"
    return f"{word}({w} ^ {sign}).view({dtype})"


class RadixSort:
    """The lines that put a row of n numbers in order.

    `order` is where each number of the result comes from, from f on; of a lone key there is none.
    """

    def __init__(self, part: Part, n: int, keys: Sequence[np.dtype], is_lone: bool) -> None:
        self.part, self.n, self.keys = part, n, keys
        self.index = np.dtype(np.int32 if n < 1 << 31 else np.int64)
        self.words = {t: part.scratch(2 * n, t) for t in dict.fromkeys(map(word_type, keys))}
        self.order = "" if is_lone else part.scratch(2 * n, self.index)
        widest = max(8 * dtype.itemsize for dtype in keys)
        self.bits = 11 if LONG <= n < HUGE and widest > 16 else 8
        self.counts = part.scratch(-(-widest // self.bits) << self.bits, self.index)

    def emit(self, rows: Sequence[str]) -> None:
        """By the last key first, as later passes keep the order of the earlier ones."""
        self.part.emit("f = 0", f"g = {self.n}")
        for k in reversed(range(len(self.keys))):
            self._emit_by_key(rows[k], k)

    def _emit_by_key(self, row: str, k: int) -> None:
        dtype, is_first, a, w = self.keys[k], k == len(self.keys) - 1, f"a{k}", f"w{k}"
        word, base, part = word_type(dtype), 1 << self.bits, self.part
        passes, words = -(-8 * dtype.itemsize // self.bits), self.words[word_type(dtype)]
        digit = f"int64(({w} >> {word}({{}})) & {word}({base - 1}))"
        with part.loops(("k", passes * base)):
            part.emit(f"{self.counts}[k] = {self.index}(0)")
        with part.loops(("k", self.n)):
            part.emit(f"{a} = {row}[k]" if is_first else f"{a} = {row}[{self.order}[f + k]]")
            part.emit(*_word_lines(a, w, dtype), f"{words}[f + k] = {w}")
            if is_first and self.order:
                part.emit(f"{self.order}[k] = {self.index}(k)")
            for d in range(passes):
                part.emit(f"j = {d * base} + {digit.format(d * self.bits)}")
                part.emit(f"{self.counts}[j] = {self.counts}[j] + {self.index}(1)")
        indent = "\n" + 3 * "    "
        carry = f"{indent}{self.order}[g + i] = {self.order}[f + k]" if self.order else ""
        part.emit(*_PASSES.format(
            w=w, passes=passes, words=words, counts=self.counts, base=base, index=self.index,
            n=self.n, digit=digit.format(f"d * {self.bits}"), carry=carry,
        ).splitlines())  # fmt: skip

    def emit_lone(self, row: str, result: str) -> None:
        """A row without an order: its words say what it is, but for zeros' signs and NaNs."""
        part, [dtype] = self.part, self.keys
        self.emit([row])
        with part.loops(("k", self.n)):
            part.emit(f"w0 = {self.words[word_type(dtype)]}[f + k]")
            part.emit(f"{result.format('k')} = {_key_text('w0', dtype)}")
        if dtype.kind == "f":
            self._emit_alike(row, result)

    def _emit_alike(self, row: str, result: str) -> None:
        """Zeros and NaNs, in the order in which they come."""
        part, n = self.part, self.n
        part.emit("i = 0", f"j = {n}")
        with part.loops(("k", n)):
            part.emit(f"a0 = {row}[k]")
            part.emit("i = i + 1 if a0 < 0 else i", "j = j - 1 if a0 != a0 else j")
        with part.loops(("k", n)):
            part.emit(f"a0 = {row}[k]")
            with part.block("if a0 == 0:"):
                part.emit(f"{result.format('i')} = a0", "i = i + 1")
            with part.block("if a0 != a0:"):
                part.emit(f"{result.format('j')} = a0", "j = j + 1")
