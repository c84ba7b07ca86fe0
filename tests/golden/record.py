"""Record what JAX says to every case: `python tests/golden/record.py [TOPIC ...]`, where JAX is."""

import os
import sys
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path[:0] = map(str, (Path(__file__).parents[2], Path(__file__).parents[1]))  # as in pytest

import jax  # noqa: E402

from golden import store  # noqa: E402
from oracle import facts  # noqa: E402
from oracle.cases import TOPICS  # noqa: E402

jax.config.update("jax_num_cpu_devices", facts.DEVICES)


def main(names: list[str]) -> None:
    if jax.__version__ != store.JAX_VERSION:
        sys.exit(f"facts are recorded from JAX {store.JAX_VERSION}, and this is {jax.__version__}")
    for name in names or TOPICS:
        cases = TOPICS[name].cases
        store.write(name, {case: facts.run(name, case, "jax") for case in cases})
        print(f"{name}: {len(cases)} cases")
    if not names:
        for path in store.FOLDER.glob("*.json"):
            if path.stem not in TOPICS:
                path.unlink()
                print(f"{path.stem}: no such topic any more")


if __name__ == "__main__":
    main(sys.argv[1:])
