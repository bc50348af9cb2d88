"""SUNDIALS' own functions: taken where they are known to fit, and left alone where not."""

import ctypes as c
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.integrators import sundials as found
from dovetail.integrators.sundials import sundials


@pytest.fixture(autouse=True)
def _anew():
    sundials.cache_clear()
    yield
    sundials.cache_clear()


def test_the_library_of_scikit_sundae_is_found_and_fits():
    library = sundials()
    assert library is not None
    assert found._version(library) in found.TESTED


def test_it_is_the_one_that_scikit_sundae_calls():
    from sksundae._cy_common import config

    assert tuple(map(int, config["SUNDIALS_VERSION"].split(".")[:2])) in found.TESTED
    assert sundials() is not None
    mapped = Path("/proc/self/maps")
    if mapped.exists():
        paths = {line.split()[-1] for line in mapped.read_text().splitlines()}
        assert len([path for path in paths if "libsundials_cvode" in path]) == 1


def test_without_scikit_sundae_there_is_none(monkeypatch):
    monkeypatch.setattr(found, "find_spec", lambda name: None)
    assert sundials() is None


def test_a_package_without_a_library_is_none(monkeypatch, tmp_path):
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(found, "find_spec", lambda name: spec)
    assert sundials() is None
    (tmp_path / f"_cy_cvode{found.EXTENSION_SUFFIXES[0]}").write_text("no library")
    assert sundials() is None


def test_a_version_that_was_not_tested_is_refused(monkeypatch):
    monkeypatch.setattr(found, "TESTED", frozenset({(6, 4)}))
    assert sundials() is None


def test_a_library_that_lacks_a_function_is_refused(monkeypatch):
    monkeypatch.setitem(found._WORDS, "CVodeLeap", (c.c_int, c.c_void_p))
    assert sundials() is None


def test_a_library_that_counts_otherwise_is_refused():
    """One of single precision: its numbers are not where ours would be."""
    numbers = np.zeros(6, dtype=np.float32)
    singles = SimpleNamespace(
        SUNContext_Create=lambda comm, context: 0,
        SUNContext_Free=lambda context: 0,
        N_VNew_Serial=lambda size, context: 1,
        N_VConst=lambda value, vector: numbers.fill(value),
        N_VGetArrayPointer=lambda vector: numbers.ctypes.data,
        N_VDestroy=lambda vector: None,
    )
    assert not found._counts_in_doubles(singles)
