"""Work against precision: every algorithm and controller on five coupled problems.

    python -m benchmarks.work_precision            print the tables
    python -m benchmarks.work_precision --write    tables and pictures into docs/

`problems.py` has the problems and their solutions, `entries.py` what is tried, `study.py` runs it,
`pictures.py` draws it. Work is counted in advances of all parts, which is the same everywhere, and
in seconds of process time, which is not.
"""
