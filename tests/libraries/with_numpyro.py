"""NumPyro: eight schools by NUTS, and a regression by variational inference."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, log_likelihood
from numpyro.infer.autoguide import AutoNormal
from numpyro.infer.reparam import TransformReparam

y = jnp.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
sigma = jnp.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def eight_schools(sigma, y=None):
    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfCauchy(5))
    with numpyro.plate("schools", sigma.shape[0]):
        with numpyro.handlers.reparam(config={"theta": TransformReparam()}):
            theta = numpyro.sample(
                "theta",
                dist.TransformedDistribution(
                    dist.Normal(0.0, 1.0), dist.transforms.AffineTransform(mu, tau)
                ),
            )
        numpyro.sample("obs", dist.Normal(theta, sigma), obs=y)


mcmc = MCMC(NUTS(eight_schools), num_warmup=5, num_samples=5, progress_bar=False)
mcmc.run(jax.random.key(0), sigma, y=y, extra_fields=("potential_energy",))
samples = mcmc.get_samples()
print(samples["mu"], samples["tau"])
print(mcmc.get_extra_fields()["potential_energy"])
print(log_likelihood(eight_schools, samples, sigma, y=y)["obs"].shape)
predictive = Predictive(eight_schools, samples)
print(predictive(jax.random.key(1), sigma)["obs"].mean(axis=0))


def regression(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    offset = numpyro.sample("offset", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(slope * x + offset, 0.1), obs=y)


x = jnp.linspace(-1.0, 1.0, 16)
guide = AutoNormal(regression)
svi = SVI(regression, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
found = svi.run(jax.random.key(2), 100, x, 0.5 * x + 0.2, progress_bar=False)
print(guide.median(found.params), found.losses[-1])
print(dist.Dirichlet(jnp.ones(3)).sample(jax.random.key(3)), dist.Gamma(2.0, 3.0).log_prob(0.5))
