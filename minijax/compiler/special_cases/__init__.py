"""The engine room's rules and passes for particular programs: without them all run, some slower."""
