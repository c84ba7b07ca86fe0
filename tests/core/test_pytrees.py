"""Pytrees. The printed forms, values and error classes are what JAX 0.10.2 gives."""

import collections
import copy
import dataclasses
import functools
import itertools
import operator
import os
import pickle
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minijax import tree, tree_util
from minijax.core.linearization import Partial
from minijax.core.pytrees import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    SequenceKey,
    keystr,
    tree_structure,
)

Params = collections.namedtuple("Params", "a b")
OrderedDict, defaultdict = collections.OrderedDict, collections.defaultdict


class Vector:
    def __init__(self, x=1, y=2):
        self.x, self.y = x, y

    def __eq__(self, other):
        return type(other) is Vector and (self.x, self.y) == (other.x, other.y)


tree_util.register_pytree_node(Vector, lambda v: ((v.x, v.y), "aux"), lambda _, xy: Vector(*xy))


@tree_util.register_pytree_with_keys_class
class Keyed:
    def __init__(self, x, name):
        self.x, self.name = x, name

    def tree_flatten_with_keys(self):
        return (("xx", self.x),), self.name

    @classmethod
    def tree_unflatten(cls, name, children):
        return cls(*children, name)


@tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    x: object
    y: object
    n: int = tree.static(default=3)


@tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Mode:
    name: str


class ListSubclass(list):
    pass


def is_none(x):
    return x is None


# Structures


@pytest.mark.parametrize(
    ("node", "printed"),
    [
        (5, "*"),
        (None, "None"),
        ([], "[]"),
        ((), "()"),
        ({}, "{}"),
        ((1,), "(*,)"),
        ([1, 2, (3, [4])], "[*, *, (*, [*])]"),
        ([None, (None,)], "[None, (None,)]"),
        ({"n": 5, "W": 1}, "{'W': *, 'n': *}"),
        ({(1, 2): 2, (0,): 3}, "{(0,): *, (1, 2): *}"),
        ({"it's": 1, 'q"': 2}, """{"it's": *, 'q"': *}"""),
        (Params(1, [2]), "CustomNode(namedtuple[Params], [*, [*]])"),
        (OrderedDict(b=1, a=2), "CustomNode(OrderedDict[('b', 'a')], [*, *])"),
        (OrderedDict(), "CustomNode(OrderedDict[()], [])"),
        (
            defaultdict(list, b=1, a=2),
            "CustomNode(defaultdict[(<class 'list'>, ('a', 'b'))], [*, *])",
        ),
        (Vector(), "CustomNode(Vector[aux], [*, *])"),
        (Keyed([1, 2], ("n", 1)), "CustomNode(Keyed[('n', 1)], [[*, *]])"),
        (Layer(1, [2, None]), "CustomNode(Layer[(3,)], [*, [*, None]])"),
        (Mode("train"), "CustomNode(Mode[Mode(name='train')], [])"),
        (
            Partial(max, 3, key=len),
            "CustomNode(Partial[<built-in function max>], [(*,), {'key': *}])",
        ),
        # Leaves, though they contain things:
        (ListSubclass([1]), "*"),
        (collections.Counter("ab"), "*"),
        ("abc", "*"),
        ({1, 2}, "*"),
    ],
)
def test_structure_prints_as_jax(node, printed):
    assert repr(tree_structure(node)) == f"PyTreeDef({printed})"


@pytest.mark.parametrize(
    ("node", "num_leaves", "num_nodes"),
    [
        (1, 1, 1),
        (None, 0, 1),
        ([], 0, 1),
        ([1, (2, None)], 2, 5),
        (Params(1, [2]), 2, 4),
        (Mode("a"), 0, 1),
        (Layer(1, 2), 2, 3),
    ],
)
def test_structure_counts(node, num_leaves, num_nodes):
    treedef = tree_structure(node)
    assert (treedef.num_leaves, treedef.num_nodes) == (num_leaves, num_nodes)


@pytest.mark.parametrize(
    ("node", "data"),
    [
        (5, None),
        (None, (type(None), None)),
        ([1], (list, None)),
        ({"b": 1, "a": 2}, (dict, ["a", "b"])),
        (OrderedDict(b=1, a=2), (OrderedDict, ("b", "a"))),
        (Params(1, 2), (Params, None)),
        (Vector(), (Vector, "aux")),
        (Layer(1, 2), (Layer, (3,))),
        (Mode("a"), (Mode, Mode("a"))),
    ],
)
def test_node_data(node, data):
    assert tree_structure(node).node_data() == data


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ([1], [2], True),
        ([1], (1,), False),
        ([1], [1, 2], False),
        ([[1], 2], [1, [2]], False),
        (1, None, False),
        ({"a": 1, "b": 2}, {"b": 3, "a": 4}, True),
        ({"a": 1}, {"b": 1}, False),
        ({1: 1}, {True: 1}, True),
        (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1), False),
        (defaultdict(int, a=1), defaultdict(float, a=1), False),
        (defaultdict(int, a=1), {"a": 1}, False),
        (Params(1, 2), (1, 2), False),
        (Keyed(1, "m"), Keyed(1, "n"), False),
        (Keyed(1, ["m"]), Keyed(1, ["m"]), True),
        (Mode("a"), Mode("b"), False),
        (Partial(max, 3), Partial(max, 4), True),
        (Partial(max, 3), Partial(min, 3), False),
    ],
)
def test_treedef_equality_and_hash(first, second, equal):
    first, second = tree_structure(first), tree_structure(second)
    assert (first == second) is equal and (first != second) is not equal
    if equal:
        assert hash(first) == hash(second)
    assert first != 3


def test_static_data_reaches_the_hash():
    treedefs = [tree_structure([1, {"mode": Mode(str(i))}]) for i in range(20)]
    assert len(set(map(hash, treedefs))) == 20


def test_treedef_pickles_without_its_hash():
    treedef = tree_structure([1, {"a": (2, None), "b": OrderedDict(c=1)}])
    hash(treedef)
    for twin in (pickle.loads(pickle.dumps(treedef)), copy.deepcopy(treedef)):
        assert twin == treedef and hash(twin) == hash(treedef)
    # Another process salts the hashes of strings in another way.
    script = (
        "import pickle, sys; from minijax.core.pytrees import tree_structure\n"
        "treedef = pickle.load(sys.stdin.buffer)\n"
        "assert {treedef: 1}[tree_structure([1, {'a': (2, None), 'b': __import__('collections')"
        ".OrderedDict(c=1)}])] == 1"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], input=pickle.dumps(treedef), env=env, check=True)


# Flatten and unflatten


def test_order_of_leaves():
    assert tree.leaves({"b": 2, "a": (3, None, [4])}) == [3, 4, 2]
    assert tree.leaves(OrderedDict(b=2, a=1)) == [2, 1]
    assert tree.leaves(defaultdict(int, b=2, a=1)) == [1, 2]
    assert tree.leaves([Vector(1, [2]), Layer(3, 4), Mode("a"), Partial(max, 5, k=6)]) == [
        *range(1, 7)
    ]


@pytest.mark.parametrize("base", [dict, list, tuple])
def test_a_subclass_of_a_container_is_a_leaf_in_every_walk(base):
    node = type("Sub", (base,), {})()
    pairs, treedef = tree_util.tree_flatten_with_path([node, 1])
    assert tree.leaves([node, 1])[0] is pairs[0][1] is node
    assert treedef == tree.structure([node, 1]) == tree.structure([0, 1])


@pytest.mark.parametrize(
    "node",
    [
        {"b": 1, "a": 2},
        OrderedDict(b=1, a=2),
        defaultdict(int, b=1, a=2),
        Params(1, Params(2, 3)),
        Vector(1, Vector(2, 3)),
        Layer(1, 2, n=7),
        Mode("a"),
        [None, (), [], {}],
    ],
)
def test_unflatten_inverts_flatten(node):
    leaves, treedef = tree.flatten(node)
    again = treedef.unflatten(leaves)
    assert again == node and type(again) is type(node)
    assert tree_structure(again) == treedef


def test_unflatten_keeps_what_is_no_leaf():
    twin = tree.map(str, defaultdict(list, a=1))
    assert twin.default_factory is list
    assert list(tree.map(str, {"b": 1, "a": 2})) == ["a", "b"]
    assert tree.unflatten(tree_structure((1, 2)), iter([[1], (2, 3)])) == ([1], (2, 3))


@pytest.mark.parametrize(("leaves", "got"), [([1], "got 1"), ([1, 2, 3], "got 3"), ([], "got 0")])
def test_unflatten_wants_the_right_number(leaves, got):
    with pytest.raises(ValueError, match=f"{got} leaves. Give 2"):
        tree.unflatten(tree_structure({"b": 2, "a": 1}), leaves)


def test_is_leaf():
    assert tree.leaves([1, None], is_leaf=is_none) == [1, None]
    assert tree.flatten([[1, 2], (3, 4)], is_leaf=lambda x: isinstance(x, tuple)) == (
        [1, 2, (3, 4)],
        tree_structure([[1, 2], 3]),
    )
    assert tree.leaves([1], is_leaf=lambda x: True) == [[1]]
    seen = []
    tree.leaves([1, (2, None)], is_leaf=seen.append)
    assert seen == [[1, (2, None)], 1, (2, None), 2, None]


@pytest.mark.parametrize("answer", [1, 0, "no"])
def test_is_leaf_must_answer_with_a_bool(answer):
    with pytest.raises(
        ValueError, match=f"is_leaf must return True, False or None, got {answer!r}"
    ):
        tree.leaves([1, 2], is_leaf=lambda x: answer)


def test_keys_that_cannot_be_sorted():
    mixed = {"a": 1, 1: 2}
    with pytest.raises(ValueError, match=r"keys that can be sorted, got the keys \['a', 1\]"):
        tree.leaves(mixed)
    with pytest.raises(TypeError, match="keys that can be sorted"):
        tree.leaves(defaultdict(int, mixed))
    assert tree.leaves(OrderedDict(mixed)) == [1, 2]


def test_deep_trees():
    nest = functools.reduce(lambda inner, _: [inner], range(600), 1)
    treedef = tree_structure(nest)
    assert treedef.num_nodes == 601 and treedef.unflatten([1]) == nest
    loop = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        tree.leaves(loop)


def test_flatten_from_many_threads():
    nodes = [{"a": [i, Params(i, None)], "b": Vector(i, (i,) * i)} for i in range(8)]
    expected = [(tree.leaves(node), repr(tree_structure(node))) for node in nodes]
    wrong = []

    def work(i):
        for _ in range(200):
            leaves, treedef = tree.flatten(nodes[i])
            if (leaves, repr(treedef)) != expected[i] or treedef.unflatten(leaves) != nodes[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# Trees side by side


def test_flatten_up_to():
    assert tree_structure((1, 2)).flatten_up_to(([1], Vector())) == [[1], Vector()]
    assert tree_structure({"a": 1, "b": 2}).flatten_up_to({"b": [3], "a": 4}) == [4, [3]]
    assert tree_structure(1).flatten_up_to([1, 2]) == [[1, 2]]
    assert tree_structure(None).flatten_up_to(None) == []
    assert tree_structure(Vector()).flatten_up_to(Vector([1], 2)) == [[1], 2]


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ((1, 2), [1, 2], "at the root: expected tuple, got list"),
        ((1, 2), (1, 2, 3), "at the root: expected tuple of length 2, got tuple of length 3"),
        ((1, 2), 5, "at the root: expected tuple, got a leaf of type int"),
        ((1, 2), Params(1, 2), "at the root: expected tuple, got Params"),
        ([1], ListSubclass([1]), "at the root: expected list, got a leaf of type ListSubclass"),
        ([None], [3], "at [0]: expected None, got a leaf of type int. None is a node"),
        (
            {"a": 1, "b": 2},
            {"a": 3},
            "at the root: expected dict with keys ('a', 'b'), got dict with keys ('a',)",
        ),
        ({"a": 1}, OrderedDict(a=1), "at the root: expected dict, got OrderedDict"),
        (
            {"w": Params(1, [2, (3, 4)])},
            {"w": Params(1, [2, (3, 4, 5)])},
            "at ['w'].b[1]: expected tuple of length 2, got tuple of length 3",
        ),
        (
            [Keyed(1, "m")],
            [Keyed(1, "n")],
            "at [0]: expected Keyed with auxiliary data 'm', got Keyed with auxiliary data 'n'",
        ),
        ([Vector(1, [2])], [Vector(1, 2)], "at [0][<flat index 1>]: expected list, got a leaf"),
        (Keyed([1], ""), Keyed([], ""), "at xx: expected list of length 1, got list of length 0"),
    ],
)
def test_trees_that_differ(first, second, sentence):
    def message(f, *args):
        with pytest.raises(ValueError) as caught:
            f(*args)
        assert type(caught.value) is ValueError
        return str(caught.value)

    text = message(tree_structure(first).flatten_up_to, second)
    assert text.startswith("PyTreeDef.flatten_up_to: the tree does not have") and sentence in text
    text = message(tree.map, lambda *xs: xs, first, first, second)
    assert text.startswith("tree_map: tree 3 does not match tree 1") and sentence in text
    text = message(tree.map_with_path, lambda *xs: xs, first, second)
    assert text.startswith("tree_map_with_path: tree 2 does not match") and sentence in text
    text = message(tree.broadcast, first, second)
    assert text.startswith("prefix_tree does not fit") and "expected" in text


def test_map():
    assert tree.map(lambda x, y: (x, y), [1, {"a": 2}], [[3], {"a": (4, 5)}]) == [
        (1, [3]),
        {"a": (2, (4, 5))},
    ]
    assert tree.map(lambda *xs: xs, [1, None], [2, None], [3, None]) == [(1, 2, 3), None]
    assert tree.map(lambda x, y: (x, y), [1, None], [1, 3], is_leaf=is_none) == [(1, 1), (None, 3)]
    assert tree.map(lambda x: None, [1, 2]) == [None, None]
    assert tree.map(operator.neg, None) is None


# Key paths


def test_paths_and_keystr():
    node = {
        "a": [1, Params(2, 3)],
        "b": OrderedDict(c=defaultdict(int, d=4)),
        "c": Vector(5, 6),
        "f": Keyed([7], 3),
        "g": Layer(8, 9),
        "h": None,
        "i": Partial(max, 10, k=11),
        "j": Mode("a"),
    }
    pairs, treedef = tree.flatten_with_path(node)
    assert treedef == tree_structure(node)
    assert [leaf for _, leaf in pairs] == tree.leaves(node) == [*range(1, 12)]
    assert [keystr(path) for path, _ in pairs] == [
        "['a'][0]",
        "['a'][1].a",
        "['a'][1].b",
        "['b']['c']['d']",
        "['c'][<flat index 0>]",
        "['c'][<flat index 1>]",
        "['f']xx[0]",
        "['g'].x",
        "['g'].y",
        "['i'][<flat index 0>][0]",
        "['i'][<flat index 1>]['k']",
    ]
    simple = [keystr(path, simple=True, separator="/") for path, _ in pairs]
    assert simple[:6] == ["a/0", "a/1/a", "a/1/b", "b/c/d", "c/0", "c/1"]
    assert keystr(pairs[1][0], separator="/") == "['a']/[1]/.a"
    assert tree.leaves_with_path(1) == [((), 1)] and keystr(()) == ""


def test_key_classes():
    keys = (DictKey("a"), SequenceKey(1), GetAttrKey("x"), FlattenedIndexKey(2))
    assert repr(keys) == (
        "(DictKey(key='a'), SequenceKey(idx=1), GetAttrKey(name='x'), FlattenedIndexKey(key=2))"
    )
    assert list(map(str, keys)) == ["['a']", "[1]", ".x", "[<flat index 2>]"]
    assert pickle.loads(pickle.dumps(keys)) == keys and len(set(keys)) == 4
    assert DictKey(1) != SequenceKey(1) and DictKey(1) != FlattenedIndexKey(1)
    with pytest.raises(AttributeError):
        keys[0].key = 3


def test_is_leaf_with_path():
    node = [1, [2, None]]
    pairs, treedef = tree.flatten_with_path(
        node, is_leaf=lambda path, x: len(path) == 1, is_leaf_takes_path=True
    )
    assert pairs == [((SequenceKey(0),), 1), ((SequenceKey(1),), [2, None])]
    assert treedef == tree_structure([1, 2])
    assert len(tree.leaves_with_path(node, is_leaf=is_none)) == 3
    assert tree.map_with_path(
        lambda path, x, y: (keystr(path), x, y), [1, {"a": 2}], [3, {"a": [4]}]
    ) == [("[0]", 1, 3), {"a": ("[1]['a']", 2, [4])}]


# Registration


def fresh_class(**attributes):
    return type("Fresh", (), attributes)


def test_registering_twice():
    for nodetype in (Vector, list, Layer):
        with pytest.raises(ValueError, match="is registered already"):
            tree_util.register_pytree_node(nodetype, lambda x: ((), None), lambda *_: None)
    with pytest.raises(ValueError, match="is registered already"):
        tree_util.register_static(Vector)
    assert tree.leaves(Vector(3, 4)) == [3, 4]


@pytest.mark.parametrize("out", [5, [(1,), None], ((1,), None, 3), (5, None), (None, None)])
def test_flatten_function_that_returns_something_else(out):
    cls = fresh_class()
    tree_util.register_pytree_node(cls, lambda x: out, lambda aux, children: None)
    with pytest.raises(ValueError, match=r"flatten function .*Fresh.* must return a tuple"):
        tree.leaves(cls())


def test_children_may_be_any_iterable():
    cls = fresh_class()
    tree_util.register_pytree_node(cls, lambda x: (iter([1, 2]), "z"), lambda aux, xs: (aux, xs))
    assert tree.map(str, cls()) == ("z", ("1", "2"))
    assert tree.leaves_with_path(cls())[1] == ((FlattenedIndexKey(1),), 2)


def test_register_with_keys():
    cls = fresh_class()
    tree_util.register_pytree_with_keys(
        cls,
        lambda x: (((GetAttrKey("k"), 5),), "keyed"),
        lambda aux, xs: xs,
        lambda x: ((5,), "plain"),
    )
    assert repr(tree_structure(cls())) == "PyTreeDef(CustomNode(Fresh[plain], [*]))"
    assert tree.leaves_with_path(cls()) == [((GetAttrKey("k"),), 5)]
    other = fresh_class()
    tree_util.register_pytree_node(
        other, lambda x: ((5,), None), lambda aux, xs: xs, lambda x: ((("k", 5),), None)
    )
    assert tree.leaves_with_path(other()) == [(("k",), 5)]


def test_a_registered_namedtuple_is_what_it_was_registered_as():
    Swapped = collections.namedtuple("Swapped", "a b")
    tree_util.register_pytree_node(
        Swapped, lambda x: ((x.b, x.a), "s"), lambda aux, xs: Swapped(xs[1], xs[0])
    )
    assert tree.leaves(Swapped(1, 2)) == [2, 1]
    assert repr(tree_structure(Swapped(1, 2))) == "PyTreeDef(CustomNode(Swapped[s], [*, *]))"
    assert tree.map(str, Swapped(1, 2)) == Swapped("1", "2")


def test_partial():
    said = repr(Partial(max, 3, key=len))  # newer Pythons name the module too
    assert said.endswith("Partial(<built-in function max>, 3, key=<built-in function len>)")
    assert isinstance(Partial(max), functools.partial)
    assert tree.map(lambda x: x + 1, Partial(lambda x, y: (x, y), 1))(5) == (2, 5)
    # A partial function inside stays whole: only the outer arguments are children.
    inner = functools.partial(max, 3)
    nested = Partial(inner, 4)
    assert tree.leaves(nested) == [4] and nested(1) == 4
    assert nested.func == inner.__call__
    assert tree_structure(nested) == tree_structure(Partial(inner, 5))
    assert hash(tree_structure(nested)) == hash(tree_structure(Partial(inner, 5)))
    assert tree_structure(nested) != tree_structure(Partial(functools.partial(max, 3), 4))
    assert repr(tree.map(str, nested)).endswith(", '4')")


# Prefixes


def test_broadcast():
    assert tree.broadcast([1, (2, 3)], [[1, 2], ({"a": 3}, 4)]) == [[1, 1], ({"a": 2}, 3)]
    assert tree.broadcast((0, None), ([1, 2], 3), is_leaf=is_none) == ([0, 0], None)
    assert tree.broadcast(1, None) is None
    # The predicate speaks of the prefix alone.
    assert tree.broadcast(1, [None, 2], is_leaf=is_none) == [None, 1]


# Random trees


def containers(child):
    return st.one_of(
        st.lists(child, max_size=3),
        st.lists(child, max_size=3).map(tuple),
        st.dictionaries(st.text("abc", max_size=2), child, max_size=3),
        st.dictionaries(st.text("abc", max_size=2), child, max_size=3).map(OrderedDict),
        st.dictionaries(st.integers(0, 5), child, max_size=2).map(lambda d: defaultdict(int, d)),
        st.builds(Params, child, child),
        st.builds(Vector, child, child),
        st.builds(Layer, child, child, st.integers(0, 2)),
    )


trees = st.recursive(st.integers() | st.none() | st.builds(Mode, st.text("ab")), containers)


def count_leaves(treedef):
    """The number of leaves by recursion; each part's own count must agree."""
    count = 1
    if treedef.node_data() is not None:
        count = sum(map(count_leaves, treedef.children()))
    assert treedef.num_leaves == count
    return count


@given(trees)
def test_random_round_trip(node):
    leaves, treedef = tree.flatten(node)
    assert treedef.unflatten(leaves) == node
    assert tree.map(lambda x: x, node) == node
    twin = tree_structure(treedef.unflatten(itertools.repeat("leaf", len(leaves))))
    assert twin == treedef and hash(twin) == hash(treedef) and repr(twin) == repr(treedef)
    assert pickle.loads(pickle.dumps(treedef)) == treedef
    pairs, with_path = tree.flatten_with_path(node)
    assert with_path == treedef and hash(with_path) == hash(treedef)
    assert count_leaves(with_path) == count_leaves(treedef) == len(leaves)
    assert [leaf for _, leaf in pairs] == leaves
    assert len({path for path, _ in pairs}) == len(leaves)


@given(trees, st.data())
def test_random_prefixes(node, data):
    cut = data.draw(st.sets(st.integers(0, 10)))
    counter = itertools.count()
    prefix = tree.map(lambda x: "p", node, is_leaf=lambda x: next(counter) in cut)
    treedef = tree_structure(prefix)
    assert tree.unflatten(treedef, treedef.flatten_up_to(node)) == node
    assert tree.leaves(tree.broadcast(prefix, node)) == ["p"] * len(tree.leaves(node))


@given(trees, trees)
def test_random_pairs(first, second):
    same = tree_structure(first) == tree_structure(second)
    assert same == (repr(tree_structure(first)) == repr(tree_structure(second)))
