"""References: places whose content a program changes; and how it becomes a program of values.

Whoever imports one of the modules gets all of them: each gives operations on references some of
their rules.
"""

from minijax.lax.references import aliasing, discharged_programs, mapped, put_back, tangents  # noqa: F401
