"""What `tree_util` adds to core's pytrees. Values and error classes are what JAX 0.10.2 gives."""

import collections
import dataclasses
import operator

import pytest

from minijax import tree, tree_util
from minijax.core import errors, linearization, pytrees
from minijax.core.pytrees import SequenceKey, keystr, tree_structure

Params = collections.namedtuple("Params", "a b")
OrderedDict = collections.OrderedDict


@tree_util.register_pytree_node_class
class Vector:
    def __init__(self, x=1, y=2):
        self.x, self.y = x, y

    def tree_flatten(self):
        return (self.x, self.y), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


class ListSubclass(list):
    pass


def is_none(x):
    return x is None


def fresh_class(**attributes):
    return type("Fresh", (), attributes)


# One level


def test_one_level():
    assert tree_util.flatten_one_level({"b": 1, "a": [2]}) == (([2], 1), ("a", "b"))
    assert tree_util.flatten_one_level(None) == ((), None)
    assert tree_util.flatten_one_level_with_keys([7]) == (((SequenceKey(0), 7),), None)
    for flatten in (tree_util.flatten_one_level, tree_util.flatten_one_level_with_keys):
        with pytest.raises(ValueError, match="a leaf, of <class 'int'>"):
            flatten(1)
    nodes = (list, dict, type(None), Params, Vector, OrderedDict)
    assert all(map(tree_util.is_tree_node, nodes))
    assert not any(map(tree_util.is_tree_node, (int, ListSubclass, 3)))


def test_treedef_parts():
    leaf, pair = tree_structure(1), tree_structure((1, [2]))
    assert tree_util.treedef_children(pair) == [leaf, tree_structure([1])] == pair.children()
    assert tree_util.treedef_tuple(iter([leaf, tree_structure([1])])) == pair
    assert tree_util.treedef_tuple([pair, leaf]).unflatten("abc") == (("a", ["b"]), "c")
    is_leaf = tree_util.treedef_is_leaf
    assert is_leaf(leaf) and is_leaf(tree_structure(None)) and is_leaf(tree_structure(()))
    assert not is_leaf(pair)


# Functions over trees


def test_all_leaves():
    assert tree_util.all_leaves([1, "ab"]) and tree_util.all_leaves([])
    assert not tree_util.all_leaves([1, [2]]) and not tree_util.all_leaves([None])
    assert tree_util.all_leaves(iter([1, (2,)]), is_leaf=lambda x: isinstance(x, tuple))
    assert not tree_util.all_leaves([Vector()])


def test_reduce_and_all():
    assert tree.reduce(operator.add, [1, (2, 3)]) == 6
    assert tree.reduce(operator.sub, {"b": 1, "a": (2,)}, 10) == 7
    assert tree.reduce(operator.add, [], None) is None
    assert tree.reduce(lambda n, x: n + 1, [None, 1], 0, is_none) == 2
    with pytest.raises(TypeError, match="without leaves. Pass an initializer"):
        tree.reduce(operator.add, [])
    assert tree.all([]) and tree.all([1, (2,)]) and not tree.all([True, {"a": 0}])
    assert not tree.all([1, None], is_leaf=is_none)


def test_transpose():
    rows = [(1, 2, 3), (4, 5, 6)]
    for inner in (tree_structure((1, 2, 3)), None):
        assert tree.transpose(tree_structure([1, 2]), inner, rows) == ([1, 4], [2, 5], [3, 6])
    assert tree.transpose(tree_structure([1]), None, [()]) == ()
    assert tree.transpose(tree_structure(1), tree_structure((1, 2)), (1, 2)) == (1, 2)
    nested = [({"a": 1}, 2), ({"a": 3}, 4)]
    assert tree.transpose(tree_structure([1, 2]), None, nested) == ({"a": [1, 3]}, [2, 4])
    # As in JAX, the number of leaves alone is compared.
    assert tree.transpose(tree_structure([1, 2]), tree_structure((1, 2)), [(1, 2), [3, 4]]) == (
        [1, 3],
        [2, 4],
    )


def test_transpose_of_another_structure():
    outer = tree_structure([1, 2])
    with pytest.raises(TypeError, match=r"(?s)pytree_to_transpose with 6 leaves.*with 2 \* 2"):
        tree.transpose(outer, tree_structure((1, 2)), [(1, 2, 3), (4, 5, 6)])
    with pytest.raises(TypeError, match="tree_transpose"):
        tree.transpose(outer, None, [(1, 2, 3), (4, 5)])
    with pytest.raises(ValueError, match="expected list, got tuple"):
        tree.transpose(outer, None, ((1, 2), (3, 4)))
    with pytest.raises(IndexError, match="Pass inner_treedef"):
        tree.transpose(tree_structure([]), None, [])


def test_broadcast():
    assert tree.broadcast([1, (2, 3)], [[1, 2], ({"a": 3}, 4)]) == [[1, 1], ({"a": 2}, 3)]
    assert tree.broadcast([None, 1], [None, [1, 2]]) == [None, [1, 1]]
    assert tree.broadcast([None, 1], [3, [1, 2]], is_leaf=is_none) == [None, [1, 1]]
    assert tree.broadcast(3, [7, None], is_leaf=is_none) == [3, None]
    with pytest.raises(ValueError, match=r"at \[0\]: expected a leaf, got None. None is a node"):
        tree.broadcast([None, 1], [3, [1, 2]])


# Registration


def test_register_class_needs_its_methods():
    with pytest.raises(AttributeError, match="tree_unflatten"):
        tree_util.register_pytree_node_class(fresh_class())


def make(*fields):
    return dataclasses.make_dataclass("X", fields)


def test_register_dataclass_by_names():
    cls = tree_util.register_dataclass(make("a", "b", "c"), ["b", "a"], ["c"])
    assert repr(tree_structure(cls(1, [2], 3))) == "PyTreeDef(CustomNode(X[(3,)], [[*], *]))"
    assert tree.map(str, cls(1, 2, 3)) == cls("1", "2", 3)
    assert [keystr(path) for path, _ in tree.leaves_with_path(cls(1, 2, 3))] == [".b", ".a"]
    plain = fresh_class(x=4)
    tree_util.register_dataclass(plain, ["x"], [])
    assert tree.leaves(plain()) == [4]
    dropped = tree_util.register_dataclass(make("a", ("b", int, 5)), ["a"], [], drop_fields=["b"])
    assert tree.map(str, dropped(1, 2)) == dropped("1", 5)
    derived = make("a", ("b", int, dataclasses.field(init=False, default=3)))
    assert tree.leaves(tree_util.register_dataclass(derived, ["a"], [])(1)) == [1]


@pytest.mark.parametrize(
    ("args", "error", "sentence"),
    [
        ((make("a", "b"), ["a"], []), ValueError, r"missing: \['b'\], unexpected: \[\]"),
        ((make("a", "b"), ["a"], ["b", "c"]), ValueError, r"unexpected: \['c'\]"),
        ((make("a", "b"), ["a"], ["a", "b"]), ValueError, r"\['a'\] are in both"),
        ((make("a", "b"), ["a"], [], ["c"]), ValueError, r"missing: \['b'\]"),
        ((make(("a", int, dataclasses.field(init=False))),), ValueError, "unexpected: "),
        ((make("a", "b"), ["a"], None), TypeError, "got data_fields=.*\nGive both or neither"),
        ((make("a", "b"), None, ["a"]), TypeError, "both or neither"),
        ((dict,), TypeError, "<class 'dict'>, which is no dataclass"),
    ],
)
def test_register_dataclass_refuses(args, error, sentence):
    with pytest.raises(error, match=sentence):
        tree_util.register_dataclass(*args)


def test_static_fields():
    assert tree.static(default=1, metadata={"a": 2}).metadata == {"static": True, "a": 2}
    assert tree.static(default=1, metadata={"static": False}).metadata == {"static": False}


# The faces


def test_faces_share_their_functions():
    core = {**vars(linearization), **vars(pytrees), **vars(errors)}
    own = set(tree_util.__all__) - set(core)
    homes = {"minijax.tree_util", "minijax.pytree_registry"}
    assert {getattr(tree_util, name).__module__ for name in own} == homes
    for name in set(tree_util.__all__) - own:
        assert getattr(tree_util, name) is core[name]
    assert tree.map is tree_util.tree_map and tree.flatten is tree_util.tree_flatten
    for name in set(tree.__all__) - {"static"}:
        assert getattr(tree, name) is getattr(tree_util, f"tree_{name}")
    assert tree.static is tree_util.static
