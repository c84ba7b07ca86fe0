"""The questions of chapter 02, drawn for each student."""

from collections.abc import Iterator
from typing import Any

Pair = tuple[str, str]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]
FLOATS = ["bfloat16", "float16", "float32"]
VALUES = ["True", "7", "2.5", "1j", "np.float64(2)", "np.arange(2)", "np.uint8(7)",
          "np.bool_(True)", "np.ones((2, 1))", "as_array(3)", "as_array(np.ones(2))",
          "as_array(2.5)", "np.complex128(1j)", "np.ones(3, 'float16')"]  # fmt: skip
RAISING = ["jax.typeof(2**31)", "jax.typeof([1, 2])", "jax.typeof(-2**31)", "jax.typeof(2.0**40)",
           "assign(as_array(np.ones(3)), 5)", "assign(np.asarray(as_array(np.ones(3))), 5)",
           "assign(np.array(as_array(np.ones(3))), 5)", "bool(as_array(np.ones(3)))",
           "bool(as_array(np.ones((1, 1))))", "hash(as_array(1))", "[5, 6][as_array(1.0)]",
           "[5, 6][as_array(1)]", "float(as_array(np.ones(1)))", "float(as_array(2))",
           "as_array('two')"]  # fmt: skip


def pick(rng: Any, choices: list, count: int) -> list:
    return [choices[k] for k in rng.permutation(len(choices))[:count]]


def text(case: str, what: str = "The type") -> Pair:
    return f"{what} `{case}`.", f"str({case})"


def two_dtypes(rng: Any) -> Pair:
    a, b = pick(rng, ["bool", *INTEGERS, *FLOATS, "complex64"], 2)
    return text(f"(jnp.ones(2, '{a}') * jnp.ones(2, '{b}')).dtype", "The dtype")


def with_numbers(rng: Any) -> Pair:
    [a] = pick(rng, ["bool", *INTEGERS, "bfloat16", "float16"], 1)
    number, factor = rng.choice(["2", "2", "2.5", "2j"]), rng.choice(["3", "3", "1.5", "True"])
    return text(f"jax.typeof({factor} * (jnp.ones(3, '{a}') + {number}))")


def chain(rng: Any) -> Pair:
    [a], [b] = pick(rng, INTEGERS, 1), pick(rng, ["bfloat16", "float16", "int16", "uint32"], 1)
    forms = [
        f"jax.typeof(jnp.ones((2, 2), '{a}') * 0.5 + jnp.ones(2, '{b}'))",
        f"jax.typeof(jnp.ones((2, 2), '{a}') + jnp.ones(2, '{b}') * 0.5)",
        f"jax.typeof(jnp.array(0.5) * jnp.ones(2, '{a}') * jnp.ones(1, '{b}'))",
        f"jax.typeof(np.float32(0.5) * jnp.ones(2, '{b}') + jnp.ones((3, 1), '{a}'))",
    ]
    return text(forms[rng.integers(len(forms))])


def values(rng: Any) -> Pair:
    chosen = pick(rng, VALUES, 3)
    case = ", ".join(f"str(jax.typeof({value}))" for value in chosen)
    return f"A list of `jax.typeof`'s answers for `{'`, `'.join(chosen)}`.", f"[{case}]"


def errors(rng: Any) -> Pair:
    chosen = pick(rng, RAISING, 3)
    lines = "\n".join(f"    {line}" for line in chosen)
    question = (
        "Of each of these, the name of the class of the exception that it raises, or None "
        "(`assign(x, v)` does `x[0] = v`). A list:\n\n"
    )
    return f"{question}{lines}\n", f"[{', '.join(f'error_of(lambda: {line})' for line in chosen)}]"


def memory(rng: Any) -> Pair:
    n, k, i = (int(rng.integers(*bounds)) for bounds in [(4, 9), (2, 6), (1, 4)])
    start = f"user = np.arange({n}, dtype='float32')\nx = as_array(user)\n"
    cases = [
        (f"{start}user += {k}\nfloat(x[{i}] + user[1])", "What is the number at the end of this?"),
        (f"with enable_x64():\n    x = as_array(np.arange({n}))\n    y = as_array({k})\n"
         "[x.nbytes, y.nbytes, as_array(np.arange(2)).nbytes]",
         "What is the list of bytes at the end of this?"),
        (f"x = as_array(np.arange({n}))\ny = as_array(np.ones({k}, 'float16') * 2.5)\n"
         "[x.nbytes, y.nbytes, as_array(True).nbytes]",
         "What is the list of bytes at the end of this?"),
        (f"{start}kept = np.asarray(x)\nown = np.array(x)\nown[1] = {k}\n"
         "[float(x[1]), float(kept[1]), float(own[1])]", "What is the list at the end of this?"),
    ]  # fmt: skip
    case, question = cases[rng.integers(len(cases))]
    return f"{question}\n\n```python\n{case}\n```", case


def draw_02_3(rng: Any) -> Iterator[Pair]:
    for question in [two_dtypes, with_numbers, chain, values, errors, memory]:
        yield question(rng)
