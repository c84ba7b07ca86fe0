"""Jraph: a batch of two graphs, a network over it, and its gradient."""

import jax
import jax.numpy as jnp
import jraph

graph = jraph.GraphsTuple(
    nodes=jnp.array([[1.0], [2.0], [3.0]]),
    edges=jnp.array([[0.5], [0.25]]),
    senders=jnp.array([0, 1]),
    receivers=jnp.array([2, 2]),
    n_node=jnp.array([3]),
    n_edge=jnp.array([2]),
    globals=jnp.array([[0.0]]),
)
batch = jraph.batch([graph, graph._replace(nodes=-graph.nodes)])
print(batch.n_node, batch.receivers)


def update(weight):
    return jraph.GraphNetwork(
        update_edge_fn=lambda edges, sent, received, context: weight * (edges + sent - received),
        update_node_fn=lambda nodes, sent, received, context: nodes + received,
        update_global_fn=lambda nodes, edges, context: context + nodes.sum(axis=1, keepdims=True),
    )


@jax.jit
@jax.value_and_grad
def energy(weight):
    return (update(weight)(batch).globals ** 2).sum()


print(jax.tree.map(lambda x: x.tolist(), update(2.0)(batch).nodes))
print(energy(0.7))
padded = jraph.pad_with_graphs(batch, n_node=8, n_edge=6, n_graph=3)
print(jraph.get_node_padding_mask(padded), jraph.get_number_of_padding_with_graphs_graphs(padded))
print([g.n_node.tolist() for g in jraph.unbatch(batch)])
layer = jraph.GraphConvolution(lambda nodes: 2.0 * nodes, add_self_edges=True)
print(layer(graph).nodes)
