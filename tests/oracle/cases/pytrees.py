"""Pytrees: how structures print, what the functions of `tree` give, and what is refused."""

SETUP = """\
class Point(typing.NamedTuple):
    x: typing.Any
    y: typing.Any

@tree_util.register_pytree_node_class
class Node:
    def __init__(self, value, label='label'):
        self.value, self.label = value, label
    def __repr__(self):
        return f'Node({self.value!r})'
    def tree_flatten(self):
        return (self.value,), self.label
    @classmethod
    def tree_unflatten(cls, label, children):
        return cls(*children, label)

@functools.partial(tree_util.register_dataclass, data_fields=['w', 'b'], meta_fields=['name'])
@dataclasses.dataclass
class Layer:
    w: typing.Any
    b: typing.Any
    name: str = 'layer'

class Opaque:
    def __repr__(self):
        return 'Opaque()'

OD, DD = collections.OrderedDict, collections.defaultdict
"""
TREES = (
    "5",
    "None",
    "()",
    "[]",
    "{}",
    "(1,)",
    "[1, 2]",
    "(1, (2, 3))",
    "[1, 2, (3, 4)]",
    "[None, 1]",
    "{'b': 1, 'a': 2}",
    "{2: 'x', 1: 'y'}",
    "{'n': 5, 'W': {'z': [1], 'k': None}}",
    "{(1, 2): 3}",
    "Point(1, 2)",
    "Point([1, 2], {'a': Point(3, 4)})",
    "OD(b=1, a=2)",
    "OD()",
    "DD(list, a=1)",
    "DD(int, {'b': [1], 'a': 2})",
    "Node(1)",
    "Node((1, 2), 'other')",
    "Layer(1, 2)",
    "Layer([1, 2], None, 'deep')",
    "[Node(Layer(1, {'a': 2})), Point(None, (3,))]",
    "'text'",
    "Opaque()",
    "{'a': Opaque(), 'b': 'text'}",
    "jnp.ones(2)",
    "{'w': jnp.ones(2), 'b': 1.5}",
    "(np.arange(2), True, 2j)",
    "{1, 2}",
    "range(3)",
    "tree_util.Partial(max, 3)",
    "tree_util.Partial(max, [1, 2], key=3)",
)
CALLS = (
    "jax.tree.map(lambda a: a + 1, {'a': [1, 2], 'b': (3, None)})",
    "jax.tree.map(lambda a, b: (a, b), [1, (2,)], [3, (4,)])",
    "jax.tree.map(lambda a, b: (a, b), [1, 2], [[3], {'a': 4}])",
    "jax.tree.map(lambda a, b, c: a + b + c, Point(1, 2), Point(3, 4), Point(5, 6))",
    "jax.tree.map(lambda a: a is None, [None, 1], is_leaf=lambda a: a is None)",
    "jax.tree.map(lambda a: a * 2, OD(b=1, a=2)), jax.tree.map(lambda a: -a, DD(list, a=1))",
    "repr(jax.tree.map(lambda a: a * 2, Node(3))), repr(jax.tree.map(str, Layer(1, 2)))",
    "jax.tree.map(len, [(1, 2), (3,)], is_leaf=lambda t: isinstance(t, tuple))",
    "jax.tree.map(lambda a, b: b, 1, [2, 3]), jax.tree.map(lambda a, b: b, (1, 2), (3, {'a': 4}))",
    "jax.tree.leaves({'b': 1, 'a': [2, None, 3]})",
    "jax.tree.leaves([1, (2, 3)], is_leaf=lambda t: isinstance(t, tuple))",
    "jax.tree.leaves(None), jax.tree.leaves([None], is_leaf=lambda t: t is None)",
    "jax.tree.flatten([1, {'a': 2}])",
    "jax.tree.unflatten(jax.tree.structure({'a': 0, 'b': [0, 0]}), [1, 2, 3])",
    "jax.tree.unflatten(jax.tree.structure(Point(0, 0)), 'ab')",
    "jax.tree.reduce(operator.add, [1, (2, 3)]), jax.tree.reduce(operator.add, [1, 2], 10)",
    "jax.tree.reduce(lambda a, b: a + [b], {'b': 1, 'a': 2}, [])",
    "jax.tree.all([True, (1, 'a')]), jax.tree.all([True, 0]), jax.tree.all([])",
    "jax.tree.transpose(jax.tree.structure([0, 0]), jax.tree.structure((0, 0)), [(1, 2), (3, 4)])",
    "jax.tree.transpose(jax.tree.structure([0, 0]), None, [{'a': 1}, {'a': 2}])",
    "jax.tree.map_with_path(lambda p, a: tree_util.keystr(p) + str(a), {'a': [1, 2]})",
    "jax.tree.map_with_path(lambda p, a, b: (len(p), a, b), (1, [2]), (3, [4]))",
    "jax.tree.flatten_with_path({'a': [1], 'b': Point(1, 2)})",
    "jax.tree.leaves_with_path(Layer(1, [2]))",
    "jax.tree.leaves_with_path(Node(1))",
    "jax.tree.leaves_with_path(5), jax.tree.leaves_with_path(None)",
    "tree_util.tree_map(lambda a: a + 1, (1, 2)), tree_util.tree_leaves([1, (2,)])",
    "tree_util.tree_flatten({'a': 1}), tree_util.tree_structure([1]), tree_util.tree_all([1])",
    "tree_util.tree_reduce(max, [1, 5, 2]), tree_util.tree_unflatten(jax.tree.structure([0]), [1])",
    "tree_util.tree_map_with_path(lambda p, a: p, [1])",
    "tree_util.tree_leaves_with_path([1]), tree_util.tree_flatten_with_path((1,))",
    "tree_util.all_leaves([1, 2]), tree_util.all_leaves([1, (2,)])",
    "tree_util.treedef_is_leaf(jax.tree.structure(1)),"
    " tree_util.treedef_is_leaf(jax.tree.structure([]))",
    "tree_util.treedef_children(jax.tree.structure([1, (2, 3)]))",
    "tree_util.treedef_tuple([jax.tree.structure(1), jax.tree.structure([2])])",
    "tree_util.Partial(operator.add, 1)(2), tree_util.Partial(tree_util.Partial(max, 1), 2)()",
)
STRUCTURES = (
    "t = jax.tree.structure({'a': [1, None], 'b': 2})\nt.num_leaves, t.num_nodes, t.children()",
    "t = jax.tree.structure(5)\nt.num_leaves, t.num_nodes, t.children(), t.node_data()",
    "jax.tree.structure([1]).node_data(), jax.tree.structure({'b': 1, 'a': 2}).node_data()",
    "jax.tree.structure(Point(1, 2)).node_data()[1], jax.tree.structure(Node(1)).node_data()[1]",
    "t = jax.tree.structure([1, (2, 3)])\nt.unflatten('abc'), t.flatten_up_to([1, ('x', [5])])",
    "jax.tree.structure([1, 2]).flatten_up_to([1])",
    "jax.tree.structure([1]) == jax.tree.structure([2]),"
    " jax.tree.structure([1]) == jax.tree.structure((1,))",
    "jax.tree.structure({'a': 1}) != jax.tree.structure({'b': 1})",
    "jax.tree.structure(Node(1, 'p')) == jax.tree.structure(Node(2, 'q'))",
    "jax.tree.structure(OD(a=1)) == jax.tree.structure({'a': 1})",
    "jax.tree.structure(Point(1, 2)) == jax.tree.structure((1, 2))",
    "hash(jax.tree.structure([1, {'a': 2}])) == hash(jax.tree.structure([3, {'a': 4}]))",
    "jax.tree.structure([1, (2,)]).compose(jax.tree.structure({'a': 0}))",
    "len({jax.tree.structure([1]), jax.tree.structure([2]), jax.tree.structure([1, 2])})",
)
KEYS = (
    "tree_util.keystr(())",
    "[tree_util.keystr(p) for p, _ in jax.tree.leaves_with_path({'a': [1, (2,)], 3: Point(1,"
    " 2)}['a'])]",
    "[tree_util.keystr(p) for p, _ in jax.tree.leaves_with_path({'a': [1, (2,)],"
    " 'b': Point(1, 2)})]",
    "[tree_util.keystr(p) for p, _ in jax.tree.leaves_with_path([Node(1), Layer(1, {'k': 2})])]",
    "p = jax.tree.leaves_with_path({'a': [1], 'b': Layer(2, 3)})\n"
    "[tree_util.keystr(q, simple=True, separator='/') for q, _ in p]",
    "tree_util.DictKey('a'), tree_util.SequenceKey(0), tree_util.GetAttrKey('x')",
    "tree_util.FlattenedIndexKey(1), str(tree_util.DictKey('a')), str(tree_util.SequenceKey(0))",
    "str(tree_util.GetAttrKey('x')), str(tree_util.FlattenedIndexKey(1))",
    "tree_util.DictKey('a') == tree_util.DictKey('a'),"
    " tree_util.DictKey(0) == tree_util.SequenceKey(0)",
    "tree_util.DictKey('a').key, tree_util.SequenceKey(2).idx, tree_util.GetAttrKey('x').name",
    "jax.tree.leaves_with_path(OD(b=1, a=2)), jax.tree.leaves_with_path(DD(int, b=1, a=2))",
)
REFUSED = (
    "jax.tree.map(lambda a, b: a, [1, 2], [1])",
    "jax.tree.map(lambda a, b: a, [1, 2], (1, 2))",
    "jax.tree.map(lambda a, b: a, {'a': 1}, {'b': 1})",
    "jax.tree.map(lambda a, b: a, [(1, 2)], [3])",
    "jax.tree.map(lambda a, b: a, Point(1, 2), (1, 2))",
    "jax.tree.map(lambda a, b: a, None, 1)",
    "jax.tree.map(lambda a, b: a, Node(1, 'p'), Node(1, 'q'))",
    "jax.tree.map(lambda a, b: a, OD(a=1), {'a': 1})",
    "jax.tree.structure({'a': 1, 2: 3})",
    "jax.tree.unflatten(jax.tree.structure([1, 2]), [1])",
    "jax.tree.unflatten(jax.tree.structure([1, 2]), [1, 2, 3])",
    "jax.tree.reduce(operator.add, [])",
    "jax.tree.transpose(jax.tree.structure([0, 0]), jax.tree.structure((0, 0)), [(1, 2), (3,)])",
    "tree_util.register_pytree_node(Node, lambda n: ((), None), lambda a, c: None)",
    "tree_util.register_pytree_node(list, lambda n: (n, None), lambda a, c: c)",
    "jax.jit(lambda x: x)(Opaque())",
    "jax.jit(lambda x: x)({'a': 'text'})",
    "jax.jit(lambda: Opaque())()",
    "jax.vmap(lambda x: x)([])",
)
USED = (
    "jax.jit(lambda d: {'sum': d['a'] + d['b'][0]})({'a': 1.0, 'b': [2.0]})",
    "p = jax.jit(lambda n: Point(n.y, n.x))(Point(1, 2.0))\np, type(p).__name__",
    "jax.grad(lambda l: l.w * l.b)(Layer(2.0, 3.0)).__dict__",
    "jax.grad(lambda n: n.value ** 2)(Node(3.0)).value",
    "jax.grad(lambda p: p.x * p.y)(Point(2.0, 3.0))",
    "jax.jit(lambda x: (None, [x, ()]))(1.0)",
    "jax.vmap(lambda d: d['a'] + 1)({'a': jnp.arange(3), 'b': None})",
    "jax.make_jaxpr(lambda d: {'r': d['a'] + d['b']})({'b': 1.0, 'a': 2.0})",
    "jax.make_jaxpr(lambda l: Point(l.b, l.w))(Layer(1, 2.0))",
    "f = tree_util.Partial(lambda a, x: a * x, 2.0)\njax.jit(lambda f, x: f(x))(f, 3.0)",
    "jax.eval_shape(lambda d: [d['a'], None], {'a': jnp.ones(2)})",
    "jax.value_and_grad(lambda d: (d['w'] ** 2).sum())({'w': jnp.arange(3.0)})",
    # A tangent zero has no leaves.
    "Z = jax.interpreters.ad.Zero(jax.typeof(1.0))\n"
    "len(jax.tree.leaves((Z, 1))), jax.tree.structure(Z) == jax.tree.structure(Z), "
    "str(jax.vmap(lambda x, z: (x, z), (0, None))(jnp.arange(2), Z)), "
    "str(jax.jit(lambda x: (x, Z))(1)), str(jax.jvp(lambda x: (x, Z), (1.0,), (2.0,)))",
)


def cases():
    for tree in TREES:
        yield f"leaves, treedef = jax.tree.flatten({tree})\nlen(leaves), treedef"
        yield f"[tree_util.keystr(p) for p, leaf in jax.tree.leaves_with_path({tree})]"
    yield from (*CALLS, *STRUCTURES, *KEYS, *REFUSED, *USED)


CASES = [*cases()]
