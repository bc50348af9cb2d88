"""Other people's FMUs beside their published outputs: the FMI project's cross-check repository.

`python -m benchmarks.crosscheck CHECKOUT` runs every FMU for this platform that it finds in a
checkout of modelica/fmi-cross-check, each in a process of its own, and compares.
"""
