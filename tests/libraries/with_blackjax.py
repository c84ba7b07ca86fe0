"""BlackJAX: a normal distribution's mean and scale sampled by NUTS, after its step is tuned."""

import blackjax
import jax
import jax.numpy as jnp
from jax.scipy import stats

observed = 10.0 + 2.0 * jax.random.normal(jax.random.key(0), (50,))


def log_density(x):
    log_scale, loc = x["log_scale"], x["loc"]
    logpdf = stats.norm.logpdf(observed, loc, jnp.exp(log_scale))
    return log_scale + jnp.sum(logpdf)


start = {"loc": jnp.array(5.0), "log_scale": jnp.array(0.5)}
warm_key, sample_key = jax.random.split(jax.random.key(1))
warmup = blackjax.window_adaptation(blackjax.nuts, log_density)
(state, parameters), _ = warmup.run(warm_key, start, num_steps=200)
kernel = jax.jit(blackjax.nuts(log_density, **parameters).step)


def step(state, key):
    state, info = kernel(key, state)
    return state, (state.position, info.num_integration_steps)


state, (positions, steps) = jax.lax.scan(step, state, jax.random.split(sample_key, 200))
print(jnp.round(positions["loc"].mean(), 1), jnp.round(jnp.exp(positions["log_scale"]).mean(), 1))
masses = jnp.ones(2)
hmc = blackjax.hmc(log_density, 0.05, inverse_mass_matrix=masses, num_integration_steps=5)
state = hmc.init(start)
for key in jax.random.split(sample_key, 3):
    state, info = hmc.step(key, state)
    print(state.position, info.acceptance_rate)
