"""How arrays lie on devices, by the names of `jax.sharding`."""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.sharding.axis_modes import auto_axes, explicit_axes
from minijax.lax.sharding.current_mesh import (
    get_abstract_mesh,
    get_mesh,
    set_mesh,
    use_abstract_mesh,
)
from minijax.lax.sharding.meshes import AbstractDevice, AbstractMesh, AxisType, Mesh
from minijax.lax.sharding.partition_specs import (
    NamedSharding,
    PartitionSpec,
    Sharding,
    SingleDeviceSharding,
    make_single_device_sharding,
)
from minijax.lax.sharding.resharding import reshard

__all__ = [
    "AbstractDevice", "AbstractMesh", "AxisType", "Mesh", "NamedSharding", "PartitionSpec",
    "Sharding", "SingleDeviceSharding", "auto_axes", "explicit_axes", "get_abstract_mesh",
    "get_mesh", "make_single_device_sharding", "reshard", "set_mesh", "use_abstract_mesh",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
guard(
    AbstractMesh, Mesh, Sharding, SingleDeviceSharding, use_abstract_mesh,
    but={"__eq__", "__hash__"},
)  # fmt: skip
