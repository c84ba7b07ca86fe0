"""Programs on many devices: meshes, how arrays lie on them, and one program that all of them run."""
