"""Placements on other machines: servers with the same models, and workers of a cluster."""

from __future__ import annotations

import os
import signal
import sys
import warnings

import numpy as np
import pytest
from machines import mass, offered, oscillator, run, serving, soon, spring

import dovetail as dv
from dovetail.machines.cluster import wires_of
from dovetail.machines.cutting import cut, grouped
from dovetail.machines.publication import Shown

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux"),
    pytest.mark.filterwarnings("ignore"),  # of Dask, about threads and sockets
]


# Remote hosts ---------------------------------------------------------------------------------


def test_parts_live_where_the_same_model_is_served(archive):
    fmu, body = dv.load(archive("linear")), mass()

    def drawing():
        system = oscillator(body)
        system.add("first", fmu, x=2.0)
        return system

    with serving(offered(body, "heavy", linearization=True), offered(fmu, "f")) as (place, said):
        there = dv.RemoteHost(place)
        for placement in (
            {"mass": there},
            {"mass": there, "first": dv.RemoteHost(place), "spring": None},
            {"mass": there, "spring": dv.LocalHost("here")},
        ):
            here = run(drawing(), stop=0.3, algorithm=dv.Newton())
            system = drawing()
            found = run(system, stop=0.3, algorithm=dv.Newton(), placement=placement)
            assert np.array_equal(here["mass.x"], found["mass.x"])
            assert np.array_equal(here["first.y"], found["first.y"])
            assert system.parts["mass"].model is body, "the drawing is as it was"
        assert soon(lambda: sum("has used 'heavy'" in line for line in said) == 3), said
        assert sum("has used 'f'" in line for line in said) == 1


def test_a_model_that_is_not_served_whole_is_refused_by_name():
    part = {"outputs": (("x", Shown("x")),)}
    with serving(offered(mass(), "cut", **part), offered(spring(), "spring")) as (place, _):
        with pytest.raises(dv.OptionError) as caught:
            run(oscillator(mass()), placement={"mass": dv.RemoteHost(place)})
        assert "part 'mass' cannot live at dovetail://" in str(caught.value)
        assert "is not offered there, but 'cut', 'spring'; serve a folder" in str(caught.value)
        with pytest.raises(dv.OptionError, match="names 'pump', but no part is called so"):
            run(oscillator(mass()), placement={"pump": dv.RemoteHost(place)})


def test_what_is_checked_of_a_placement_elsewhere(tmp_path):
    with pytest.raises(dv.OptionError, match="names a part; leave it out"):
        dv.RemoteHost("dovetail://lab:4850/pump")
    with pytest.raises(dv.OptionError, match="RemoteHost has no option 'tokn'"):
        dv.RemoteHost("dovetail://lab:4850", tokn="x")
    with pytest.raises(dv.OptionError, match=r"takes a dask\.distributed\.Client, not 3"):
        dv.Cluster(3)
    system = dv.System("s")
    system.run_settings = type(system.run_settings)(placement=dv.RemoteHost("dovetail://lab:4850"))
    with pytest.raises(dv.OptionError, match="is said with each run, not in a file"):
        system.save(tmp_path / "s.yaml")


# The cut --------------------------------------------------------------------------------------


def ring(*sizes):
    """Rings of parts, each joined to the next ring by one thin wire."""
    wires, names = {}, []
    for k, size in enumerate(sizes):
        own = [f"{k}.{i}" for i in range(size)]
        wires |= {(a, b): 3.0 for a, b in zip(own, own[1:] + own[:1], strict=True)}
        if names:
            wires[names[-1], own[0]] = 1.0
        names += own
    return dict.fromkeys(names, 1.0), wires


def test_parts_that_talk_stay_together():
    costs, wires = ring(4, 4, 4)
    groups = grouped(costs, wires, 3)
    assert sorted(sorted({name[0] for name in group}) for group in groups) == [["0"], ["1"], ["2"]]
    assert cut(groups, wires) == 2.0
    mixed = dict(sorted(costs.items(), key=lambda one: one[0][::-1]))
    assert sorted(grouped(mixed, wires, 3)) == sorted(groups), "in whatever order they are"


def test_loads_are_alike_and_nobody_is_lost():
    costs = {"a": 8.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 5.0}
    groups = grouped(costs, {("a", "b"): 1.0, ("b", "c"): 1.0}, 2)
    assert sorted(name for group in groups for name in group) == list("abcde")
    loads = [sum(costs[name] for name in group) for group in groups]
    assert max(loads) <= 9.0
    assert grouped(costs, {}, 1) == [list("abcde")]
    assert sorted(map(len, grouped(costs, {}, 9))) == [1] * 5


def test_wires_are_as_thick_as_what_passes():
    system = oscillator(mass())
    assert wires_of(system, ["mass", "spring"]) == {("mass", "spring"): 2.0}
    assert wires_of(system, ["mass"]) == {}


# A cluster ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    """Two worker processes of this machine."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    quiet = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.worker.memory.terminate": False,
        "distributed.admin.low-level-log-length": 10,
    }
    with warnings.catch_warnings(), dask.config.set(quiet):
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        )
        client = distributed.Client(cluster)
        try:
            yield client
        finally:
            client.close()
            cluster.close()


def doomed(when, trouble):
    def rates(t, x, u, p):
        if t > when:
            trouble()
        return [x.v, u.force / 2.0]

    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"], derivatives=rates
    )


def test_a_cluster_gives_the_same_bits_and_checkpoints_go_on_here(client, archive, tmp_path):
    fmu, given = dv.load(archive("linear")), {"controller": dv.FixedStep(0.05), "quiet": True}

    def drawing():
        system = oscillator(mass())
        system.add("one", fmu, x=2.0)
        system.add("two", fmu, x=-1.0)
        system.connect("one.y", "two.u")
        return system

    here = run(drawing(), stop=0.3, algorithm=dv.Newton())
    there = run(drawing(), stop=0.3, algorithm=dv.Newton(), placement=dv.Cluster(client))
    for name in ("mass.x", "two.y"):
        assert np.array_equal(here[name], there[name])
    assert here.statistics.evaluations_by_part == there.statistics.evaluations_by_part
    with dv.Session(drawing(), stop=0.1, placement=dv.Cluster(client), **given) as session:
        session.run(checkpoint=tmp_path / "half")
    resumed = dv.simulate(drawing(), stop=0.2, resume=tmp_path / "half", step=0.05, quiet=True)
    assert resumed["mass.x"][-1] == run(drawing(), stop=0.2)["mass.x"][-1]


def test_parts_of_a_lost_worker_go_on_elsewhere_with_the_same_bits(client):
    given = {"stop": 0.6, "controller": dv.FixedStep(0.05), "quiet": True}
    given |= {"algorithm": dv.Jacobi(max_iterations=20)}
    here = dv.Session(oscillator(mass()), **given).run()
    client.wait_for_workers(2)
    placement = dv.Cluster(client, restart=1)
    with dv.Session(oscillator(mass()), placement=placement, **given) as session:
        for _ in range(3):
            session.advance()
        worker = session.assembly.subsystems[0].subsystem.host.name.removeprefix("worker ")
        os.kill(client.run(os.getpid)[worker], signal.SIGKILL)
        found = session.run()
    assert all(np.array_equal(here[name], found[name]) for name in here.names)
    assert found.statistics.restarts_by_host == {"mass": 1}


def test_a_worker_that_is_lost_is_an_error_by_name(client):
    client.wait_for_workers(2)
    placement = dv.Cluster(client, costs={"mass": 2.0, "spring": 1.0})
    given = {"stop": 1.0, "controller": dv.FixedStep(0.05), "quiet": True, "placement": placement}
    with dv.Session(oscillator(mass()), **given) as session:
        for _ in range(3):
            session.advance()
        host = session.assembly.subsystems[0].subsystem.host.name
        pids = client.run(os.getpid)
        worker = host.removeprefix("worker ")
        os.kill(pids[worker], signal.SIGKILL)
        with pytest.raises(dv.HostFailed) as caught:
            session.run()
    assert str(caught.value).startswith("part 'mass' failed while ")
    assert "the connection to it was lost" in str(caught.value)
    assert f"at worker {worker}" in str(caught.value)
    assert caught.value.result.time[-1] == pytest.approx(0.15)
