"""Signals: convolutions by way of their waves, trends, spectra of windows that move along."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.signal.convolutions": "fftconvolve",
    "minijax.scipy.signal.spectra": "csd istft stft welch",
    "minijax.scipy.signal.trends": "detrend",
})  # fmt: skip
