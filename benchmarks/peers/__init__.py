"""The same systems run by Dovetail and by its peers: what comes out, and what it costs.

    python -m benchmarks.peers             the tables, for the peers that are installed
    python -m benchmarks.peers --write     put them into docs/peers.md

`case.py` says what a system is, one file per peer how it runs one, `worker.py` runs one peer in a
process of its own, and `measure.py` compares.
"""
