"""A primitive's rule is registered once: importing minijax writes over no entry of any table.

A program of its own imports every module and counts the registrations. For this, each dict that a
module of core or compiler starts out with becomes a `Table`, which counts what is written into it.
The table `lowerings` counts the rules of a record, and the methods of a primitive that give it an
implementation and a type rule count their calls.
"""

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REGISTRATIONS = """
    import ast, builtins, importlib.machinery, pkgutil, sys
    from collections import Counter
    from functools import partial
    from importlib import import_module

    registered = Counter()


    class Table(dict):
        def __init__(self, entries, name):
            self.name = name
            super().__init__(entries)
            registered.update((name, key) for key in map(primitive_of, self) if key)

        def __setitem__(self, key, value):
            if primitive_of(key) and not is_same(self.get(key), value):
                registered[self.name, primitive_of(key)] += 1
            super().__setitem__(key, value)

        def __ior__(self, entries):
            for key, value in entries.items():
                self[key] = value
            return self


    def is_same(old, new):
        # deflinear (chapter 10) writes the JVP rule, which the core's linear primitives have had
        # since chapter 05: the same function of the same primitive.
        both = isinstance(old, partial) and isinstance(new, partial)
        return both and (old.func, old.args) == (new.func, new.args)


    def primitive_of(key):
        is_primitive = any(base.__name__ == "Primitive" for base in type(key).__mro__)
        return (key.name, id(key)) if is_primitive else None


    class Loader(importlib.machinery.SourceFileLoader):
        def source_to_code(self, data, path, **options):
            tree = ast.parse(data)
            for line in tree.body:
                is_assignment = isinstance(line, ast.Assign | ast.AnnAssign)
                if is_assignment and isinstance(line.value, ast.Dict):
                    target = line.target if isinstance(line, ast.AnnAssign) else line.targets[0]
                    name = ast.Constant(f"{self.name}.{ast.unparse(target)}")
                    made = ast.Call(ast.Name("Table", ast.Load()), [line.value, name], [])
                    line.value = ast.copy_location(made, line.value)
            return compile(ast.fix_missing_locations(tree), path, "exec")

        def get_code(self, fullname):
            path = self.get_filename(fullname)
            return self.source_to_code(self.get_data(path), path)

        def exec_module(self, module):  # (def_abstract_eval calls def_effectful_abstract_eval)
            super().exec_module(module)
            if self.name == "minijax.compiler.lowerings":
                count_rules(module.Lowerings)
            if self.name == "minijax.core.tracing":
                count_calls(module.Rules, "def_impl")
                count_calls(module.Rules, "def_effectful_abstract_eval")


    def count_calls(cls, method):
        plain = getattr(cls, method)

        def counted(self, rule):
            registered[method, primitive_of(self)] += 1
            return plain(self, rule)

        setattr(cls, method, counted)


    def count_rules(cls):
        def counted(self, primitive, record):
            old = rules_of(self[primitive])
            for kind, rule in rules_of(record).items():
                if rule is not old.get(kind):
                    registered[f"{cls.__name__}.{kind}", primitive_of(primitive)] += 1
            dict.__setitem__(self, primitive, record)

        cls.__setitem__ = counted


    def rules_of(record):  # (`on_pairs` is a record of its own, whose rules are added one by one)
        rules = {}
        for kind, rule in record._asdict().items():
            if hasattr(rule, "_asdict"):
                rules |= {f"{kind}.{inner}": value for inner, value in rules_of(rule).items()}
            elif rule is not type(record)._field_defaults[kind]:
                rules[kind] = rule
        return rules


    class Finder(importlib.machinery.PathFinder):
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            spec = super().find_spec(name, path, target)
            if name.startswith(("minijax.core.", "minijax.compiler.")) and spec.has_location:
                spec.loader = Loader(name, spec.origin)
            return spec


    builtins.Table = Table
    sys.meta_path.insert(0, Finder)

    import minijax

    for module in pkgutil.walk_packages(minijax.__path__, "minijax."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
"""


def registrations(program: str) -> list[str]:
    """Returns what a program prints, line by line, that runs when minijax has been imported so."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(REGISTRATIONS) + textwrap.dedent(program)],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_no_rule_is_written_over():
    program = """
        from minijax.compiler.lowerings import register_lowering
        from minijax.core.extend import primitive_jvps
        from minijax.lax import neg_p

        def show_twice():
            for (table, (name, _)), times in registered.items():
                if times > 1:
                    print(table, name)

        show_twice()
        print(len(registered))
        print(sum(table.startswith("Lowerings.") for table, _ in registered))
        primitive_jvps[neg_p] = None
        register_lowering(neg_p, template="-{0}")
        show_twice()
    """
    *twice, number, rules, one, other = registrations(program)
    assert twice == []
    assert int(number) > 700 and int(rules) > 150
    assert {one, other} == {"minijax.core.forward.primitive_jvps neg", "Lowerings.template neg"}
