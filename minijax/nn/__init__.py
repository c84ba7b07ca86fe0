"""Functions for neural networks, under `jax.nn`'s names."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.nn.activations": """
        celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu
        log1mexp log_sigmoid mish relu relu6 selu sigmoid silu soft_sign softplus sparse_plus
        sparse_sigmoid squareplus swish""",
    "minijax.nn.attention": "dot_product_attention",
    "minijax.nn.distributions": "log_softmax logmeanexp one_hot softmax standardize",
    "minijax.nn.scaled_matrices": "get_scaled_dot_general_config scaled_dot_general scaled_matmul",
    "minijax.numpy.elementwise.angles": "tanh",
    "minijax.scipy.special": "logsumexp",
    "minijax.nn.initializers": "",
})  # fmt: skip
