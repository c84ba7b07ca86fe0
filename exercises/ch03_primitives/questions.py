"""The questions of chapter 03, drawn for each student."""

from collections.abc import Iterator
from typing import Any

Pair = tuple[str, str]
SHAPES = [("(2, 3)", "(3,)"), ("(3,)", "(2, 3)"), ("(2, 3)", "(2, 3)"), ("(2, 1)", "(2, 3)"),
          ("(2, 1)", "(3,)"), ("()", "(2, 3)"), ("(4, 1, 3)", "(2, 1)")]  # fmt: skip
DTYPES = [("int32", "float32"), ("float16", "bfloat16"), ("int8", "uint8"), ("float32", "float32"),
          ("float16", "int32"), ("bool", "int32"), ("int8", "int32")]  # fmt: skip


def pick(rng: Any, choices: list, count: int) -> list:
    return [choices[k] for k in rng.permutation(len(choices))[:count]]


def value(case: str) -> Pair:
    return f"`{case}`", case


def strict_steps(rng: Any) -> Pair:
    [(a, b)], [(s, t)] = pick(rng, DTYPES, 1), pick(rng, SHAPES, 1)
    [sign] = pick(rng, ["+", "*"], 1)
    return value(f"names_in(lambda x, y: x {sign} y, ones({s}, '{a}'), ones({t}, '{b}'))")


def with_numbers(rng: Any) -> Pair:
    [dtype], [number] = pick(rng, ["int32", "float16", "float32"], 1), pick(rng, ["2", "2.5"], 1)
    body = pick(rng, ["{n} * x + y", "x * y + {n}", "{n} + x * y", "(x + {n}) * (y + {n})",
                      "x * ({n} * 3) + y"], 1)[0]  # fmt: skip
    body = body.replace("{n}", number)
    return value(f"names_in(lambda x, y: {body}, ones((2, 3), '{dtype}'), ones(3, 'float32'))")


def product_shape(rng: Any) -> Pair:
    a, b, c, d = (int(n) for n in rng.permutation([2, 3, 4, 5]))
    forms = [
        ((a, b, c), (a, c, d), (((2,), (1,)), ((0,), (0,)))),
        ((b, a, c), (c, d, a), (((2,), (0,)), ((1,), (2,)))),
        ((a, b, c), (d, b), (((1,), (1,)), ((), ()))),
        ((a, b, c), (c, b, d), (((1, 2), (1, 0)), ((), ()))),
        ((a, b), (c, d), (((), ()), ((), ()))),
        ((a, b, c), (c, a, d), (((), ()), ((0, 2), (1, 0)))),
    ]
    x, y, numbers = forms[rng.integers(len(forms))]
    return value(f"list(lax.dot_general(ones({x}), ones({y}), {numbers}).shape)")


CALLS = [
    "lax.add(ones(3), ones(3, 'int32'))", "lax.add(ones(3), ones((2, 3)))",
    "lax.add(ones((1, 3)), ones((2, 3)))", "lax.add(ones(()), ones((2, 3)))",
    "lax.add(ones((2, 3)), ones(2))", "lax.sin(ones(3, 'int32'))", "lax.sin(ones(3, 'float16'))",
    "lax.mul(ones(3, 'int32'), 2.0)", "lax.mul(ones(3), 2.0)", "lax.mul(ones(3, 'float16'), 2)",
    "lax.add(ones((2, 1)), ones((1, 3)))", "lax.add(ones((2, 3)), ones((3, 2)))",
    "lax.reshape(ones((2, 3)), (6,))", "lax.reshape(ones((2, 3)), (4,))",
    "lax.transpose(ones((2, 3)), (1,))", "lax.integer_pow(ones(2, 'int32'), -1)",
    "lax.integer_pow(ones(2), -1)", "lax.broadcast_in_dim(ones(3), (2, 3), (0,))",
    "lax.broadcast_in_dim(ones(3), (3, 2), (0,))", "lax.broadcast_in_dim(ones(1), (3, 2), (1,))",
    "lax.broadcast_in_dim(ones((2, 3)), (3, 2), (1, 0))", "lax.expand_dims(ones(3), (0, 2))",
]  # fmt: skip


def refusals(rng: Any) -> Pair:
    chosen = pick(rng, CALLS, 7)
    lines = "\n".join(f"    {call}" for call in chosen)
    question = f"How many of these seven calls are refused?\n\n{lines}\n"
    return question, f"count_refused([{', '.join(f'lambda: {call}' for call in chosen)}])"


def arithmetic(rng: Any) -> Pair:
    a, b = int(rng.integers(7, 12)), int(rng.integers(2, 5))
    return value(pick(rng, [
        f"lax.div(np.int32([{-a}, {a}, {a}]), np.int32([{b}, {-b}, 0])).tolist()",
        f"lax.convert_element_type(np.float32([{a}.7, {-a}.7, 1e20, np.nan]), 'int32').tolist()",
        f"lax.convert_element_type(np.float32([-{a}.5, {b}00, {30 * a}]), 'uint8').tolist()",
        f"lax.select(np.bool_([1, 0, 1]), np.int32([{a}, {b}, 1]), np.int32([0, 1, 2])).tolist()",
        f"(lax.integer_pow(np.int32({a}), {b}) - lax.integer_pow(np.int32({a}), 2)).item()",
    ], 1)[0])  # fmt: skip


def laid_out(rng: Any) -> Pair:
    a, b, c = (int(n) for n in rng.permutation([1, 2, 3, 4, 5])[:3])
    start = f"lax.reshape(np.int32([{a}, {b}, {c}, {a + b}, {b + c}, {a + c}]), (2, 3))"
    return value(pick(rng, [
        f"lax.broadcast_in_dim(np.int32([{a}, {b}]), (3, 2), (1,)).tolist()",
        f"lax.broadcast_in_dim(np.int32([{a}, {b}]), (2, 3), (0,)).tolist()",
        f"lax.transpose({start}, (1, 0)).tolist()",
        f"jnp.sum({start}, 0).tolist()",
        f"jnp.sum({start}, 1).tolist()",
        f"lax.dot_general({start}, {start}, (((1,), (1,)), ((0,), (0,)))).tolist()",
        f"lax.dot_general({start}, np.int32([1, 10]), (((0,), (0,)), ((), ()))).tolist()",
    ], 1)[0])  # fmt: skip


def draw_03_3(rng: Any) -> Iterator[Pair]:
    for question in [strict_steps, with_numbers, product_shape, refusals, arithmetic, laid_out]:
        yield question(rng)
