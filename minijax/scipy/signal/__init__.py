"""Signals: convolutions, trends, spectra of windows that move along."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.signal.convolutions": """
        convolve convolve2d correlate correlate2d fftconvolve""",
    "minijax.scipy.signal.spectra": "csd istft stft welch",
    "minijax.scipy.signal.trends": "detrend",
})  # fmt: skip
