"""How the kernel is built where Dovetail is installed."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
from pathlib import Path

import pytest
from release.boxes import ROOT


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_compiler_of_the_ziglang_package_is_found_by_its_program(hook, tmp_path, monkeypatch):
    """Where pip isolates the build, packages of the environment cannot be imported."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    program = tmp_path / "python-zig"
    program.write_text(f'#!/bin/sh\n[ "$1" = cc ] || exit 3\nshift\nexec {compiler} "$@"\n')
    program.chmod(0o755)
    _source(tmp_path)
    monkeypatch.delenv("CC", raising=False)
    beside = {"python-zig": str(program)}
    monkeypatch.setattr(hook.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(
        hook.shutil, "which", lambda name, path=None: beside.get(name) if path else None
    )
    assert hook.compilers()[-1] == [str(program), "cc"]
    assert hook.build(tmp_path / "answer.c", tmp_path / "answer.so") == ""
    assert ctypes.CDLL(str(tmp_path / "answer.so")).answer() == 42


def test_the_compiler_that_is_asked_for_comes_first(hook, monkeypatch):
    monkeypatch.setenv("CC", "ccache gcc -m64")
    assert hook.compilers()[0] == ["ccache", "gcc", "-m64"]


def test_compilers_that_fail_are_told_of(hook, tmp_path, monkeypatch):
    _source(tmp_path)
    target = tmp_path / "answer.so"
    for compilers, problem in (
        ([], "no C compiler was found"),
        ([["no-such-compiler"]], "no-such-compiler cannot be run: No such file or directory"),
        ([["false"]], "false failed: it said nothing"),
    ):
        monkeypatch.setattr(hook, "compilers", lambda found=compilers: found)
        assert hook.build(tmp_path / "answer.c", target) == problem
        assert not target.exists()


def test_without_zig_no_kernel_for_another_platform_is_made(hook, tmp_path, monkeypatch):
    """Whatever other compilers there are: they know this machine only."""
    monkeypatch.setattr(hook, "zig", list)
    monkeypatch.setattr(hook, "compilers", lambda: [["cc"]])
    _source(tmp_path)
    target = tmp_path / "answer.dll"
    said = hook.build_for(hook.TARGETS["win_amd64"], tmp_path / "answer.c", target)
    assert said == "zig was not found"
    assert not target.exists()


def test_the_platform_names_the_oldest_c_library_that_will_do(hook, tmp_path, monkeypatch):
    library = tmp_path / "kernel.so"
    monkeypatch.setattr(hook.sysconfig, "get_platform", lambda: "linux-x86_64")
    for symbols, name in (
        (b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.17\0", "manylinux_2_34_x86_64"),
        (b"\0GLIBC_2.2.5\0", "manylinux_2_17_x86_64"),
        (b"\0", "linux_x86_64"),  # another C library
    ):
        library.write_bytes(symbols)
        assert hook.platform(library) == name
    monkeypatch.setattr(hook.sysconfig, "get_platform", lambda: "macosx-11.0-arm64")
    assert hook.platform(library) == "macosx_11_0_arm64"


def _source(folder: Path) -> None:
    visible = '__attribute__((visibility("default")))'
    (folder / "answer.c").write_text(f"{visible} int answer(void) {{ return 42; }}\n")
