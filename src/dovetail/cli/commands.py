"""Every command: where it stands in the help, what it is for, and examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .analyze import analyze
from .benchmark import benchmark
from .cert import cert
from .check import check
from .compare import compare
from .demo import demo
from .describe import describe
from .draw import draw
from .export import export
from .host import host
from .parts import parts
from .plot import plot
from .run import run
from .serve import serve
from .studio import studio
from .sweep import sweep
from .validate import validate

FIRST, BEFORE, AFTER, MODELS, MACHINES = (
    "To begin with",
    "Before a run",
    "A run and its result",
    "One model alone",
    "Across machines",
)
COMMANDS: tuple[tuple[str, Callable[..., Any], str, list[str]], ...] = (
    (
        FIRST,
        demo,
        "A belt drive, run two ways, explained and drawn.",
        ["dovetail demo", "dovetail demo --folder somewhere"],
    ),
    (
        FIRST,
        studio,
        "Draw, check, run and plot in a browser.",
        ["dovetail studio car.yaml", "dovetail studio models"],
    ),
    (
        BEFORE,
        describe,
        "Variables and capabilities of a model, or parts of a system.",
        ["dovetail describe engine.fmu", "dovetail describe car.ssp"],
    ),
    (
        BEFORE,
        check,
        "Every problem of a system, and what it can be run with.",
        [
            "dovetail check car.yaml",
            "dovetail check car.ssp --unsupported warn",
            "dovetail check car.yaml --step 0.01 --algorithm newton --plan",
        ],
    ),
    (
        BEFORE,
        draw,
        "A block diagram of a system, to a file.",
        ["dovetail draw car.ssp -o car.svg"],
    ),
    (
        BEFORE,
        benchmark,
        "Which algorithm and windows serve a system best.",
        [
            "dovetail benchmark car.yaml",
            "dovetail benchmark car.yaml --stop 2 --tolerance 1e-4 --output precision.png",
            "dovetail benchmark car.yaml --apply",
        ],
    ),
    (
        AFTER,
        run,
        "Run a system, or a single FMU.",
        [
            "dovetail run car.yaml --output run.parquet",
            "dovetail run car.ssp --stop 10 --step 0.01 --record 'body.*'",
            "dovetail run engine.fmu --stop 2",
            "dovetail run car.yaml --algorithm 'gauss_seidel(max_iterations=20)'",
        ],
    ),
    (
        AFTER,
        plot,
        "Draw a result, or several over each other.",
        [
            "dovetail plot run.parquet 'body.*'",
            "dovetail plot run.parquet --output page.html",
            "dovetail plot run.parquet finer.parquet 'body.x'",
        ],
    ),
    (
        AFTER,
        compare,
        "Compare two results.",
        ["dovetail compare run.parquet finer.parquet --rtol 1e-3"],
    ),
    (
        AFTER,
        sweep,
        "Run a system many times, with other values each time.",
        [
            "dovetail sweep car.yaml --set car.m=900,1200,1500 --output runs",
            "dovetail sweep car.yaml --set damper.d=500:5000 --samples 200 -o runs --jobs 8",
        ],
    ),
    (
        AFTER,
        export,
        "Write a system as one FMU for other tools.",
        [
            "dovetail export car.yaml --step 0.01 -o car.fmu",
            "dovetail export car.ssp --fmi 3 --outputs 'body.*' -o car.fmu",
        ],
    ),
    (
        MODELS,
        validate,
        "Is this FMU sound? Rules, steps, reference results.",
        ["dovetail validate engine.fmu", "dovetail validate engine.fmu --reference measured.csv"],
    ),
    (
        MODELS,
        analyze,
        "Time scales of a model, and where it can be cut.",
        ["dovetail analyze models.py:exchanger", "dovetail analyze engine.fmu --step 0.01"],
    ),
    (
        MACHINES,
        serve,
        "Offer the models of a folder to other machines.",
        [
            "dovetail serve parts --cert lab/server.pem --key lab/server-key.pem --ca lab/ca.pem",
            "dovetail serve parts --insecure",
        ],
    ),
    (
        MACHINES,
        parts,
        "What a server offers.",
        [
            "dovetail parts dovetail://localhost:4850",
            "dovetail parts dovetail://lab:4850 pump --ca lab/ca.pem --token-file lab/token.txt",
        ],
    ),
    (
        MACHINES,
        host,
        "Parts that dial out to a master.",
        ["dovetail host --connect dovetail://master.example:4850 --part pump.fmu --ca lab/ca.pem"],
    ),
    (
        MACHINES,
        cert,
        "Certificates for servers and users.",
        ["dovetail cert lab", "dovetail cert lab --host plant.example --user anna"],
    ),
)
