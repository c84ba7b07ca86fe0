"""The questions of chapter 05, drawn for each student."""


def draw_05_3(rng):
    for _ in range(3):
        a, b, t = rng.integers(2, 9, 3)
        case = f"jax.jvp(lambda x: {a} * x**2 + {b}, (3.0,), ({t}.0,))[1]"
        yield f"What is `{case}`?", f"float({case})"
