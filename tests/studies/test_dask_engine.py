"""The same study on the workers of a Dask cluster."""

import os
import signal
import warnings

import numpy as np
import pytest
from studies import corner

import dovetail as dv


@pytest.fixture(scope="module")
def client():
    """Two worker processes of this machine, spawned and not forked."""
    import dask
    from distributed import Client, LocalCluster

    quiet = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.worker.memory.terminate": False,
        "distributed.admin.low-level-log-length": 10,
    }
    with warnings.catch_warnings(), dask.config.set(quiet):
        warnings.simplefilter("ignore")
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        )
        client = Client(cluster)
        client.run(_importable, [path for path in os.sys.path if "tests" in path])
        try:
            yield client
        finally:
            client.close()
            cluster.close()


def _importable(paths):
    import sys

    sys.path[:0] = paths


pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask, about threads and sockets


def test_runs_of_a_cluster_are_those_of_this_machine_to_the_bit(client, tmp_path):
    vary = {"strut.d": [500.0, 1500.0, 3000.0], "body.m": [250.0, 300.0]}
    there = dv.sweep(corner.system(), vary, engine=client, store=tmp_path / "study", **corner.RUN)
    here = dv.sweep(corner.system(), vary, jobs=0, **corner.RUN)
    assert np.array_equal(there["body.x"], here["body.x"])
    again = dv.sweep(corner.system(), vary, jobs=0, store=tmp_path / "study", **corner.RUN)
    assert [r.seconds for r in again.rows] == [r.seconds for r in there.rows]  # nothing was made


def deadly(d):
    if d == 2000.0:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_that_ends_its_worker_is_a_row_and_the_others_are_made(client):
    vary = {"strut.d": [1000.0, 2000.0, 3000.0, 4000.0]}
    study = dv.sweep(corner.system(deadly), vary, engine=client, **corner.RUN)
    assert [row.status for row in study.rows] == ["done", "crashed", "done", "done"]
    assert "its worker was ended" in study.failed[0].reason


def test_a_run_that_fails_is_a_row(client):
    study = dv.sweep(corner.system(), {"body.m": [300.0, 0.0]}, engine=client, **corner.RUN)
    assert [row.status for row in study.rows] == ["done", "failed"]


def test_fits_and_evaluators_take_a_cluster(client):
    truth = dv.simulate(corner.system(), values={"strut.d": 1200.0}, stop=0.4, step=0.1, quiet=True)
    free, run = {"strut.d": (500.0, 3000.0)}, {"stop": 0.4, "step": 0.1}
    measured = dv.Result.of(truth.time, {"body.x": truth["body.x"]})
    fits = [
        dv.calibrate(corner.system(), measured, free=free, **run, **more)
        for more in ({"engine": client}, {"jobs": 0})
    ]
    assert fits[0].values == fits[1].values
    lowest = lambda run: run["body.x"].min()  # noqa: E731
    with dv.studies.Evaluator(corner.system(), free, lowest, engine=client, **run) as ask:
        found = ask([[500.0], [3000.0]])
    assert np.array_equal(
        found,
        dv.sweep(corner.system(), {"strut.d": [500.0, 3000.0]}, jobs=0, **run)["body.x"].min(-1),
    )
    local = dv.sensitivity(corner.system(), of="body.x", to=["strut.d"], engine=client, **run)
    same = dv.sensitivity(corner.system(), of="body.x", to=["strut.d"], jobs=0, **run)
    assert np.array_equal(
        local.derivatives["body.x"]["strut.d"], same.derivatives["body.x"]["strut.d"]
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"engine": "cloud"}, "engine is 'local' or a dask.distributed.Client"),
        ({"jobs": 2}, "jobs= is for processes of this machine"),
        ({"time_limit": 2.0}, "time_limit= is for processes of this machine"),
    ],
)
def test_what_an_engine_cannot_do_is_refused(client, given, message):
    with pytest.raises(dv.OptionError, match=message):
        dv.sweep(corner.system(), {"body.m": [300.0]}, **{"engine": client, **corner.RUN, **given})
