"""Examples to begin with, opened as copies in the folder of the user."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from ..core.errors import FileError, OptionError
from ..formats.loading import load
from .folder import WorkFolder


@dataclass(frozen=True, slots=True)
class Example:
    """A system and its models: where they lie in `demo`, the file to open, and the others."""

    title: str
    purpose: str
    home: str
    system: str
    others: tuple[str, ...]
    made: Mapping[str, str] = field(default_factory=dict)  # FMUs, by the models they are made of
    made_step: float = 0.05  # s, of their windows


EXAMPLES: Mapping[str, Example] = {
    "belt_drive": Example(
        "Belt drive", "a stiff cycle of motor, rotor and machine under a sampled controller",
        "files", "drive.yaml", ("models.py",),
    ),
    "quarter_car": Example(
        "Quarter car", "wheel and body over a measured road, with units that convert",
        "gallery/quarter_car", "quarter_car.yaml", ("models.py", "road.csv"),
    ),
    "air_conditioner": Example(
        "Air conditioner", "two indoor units on one suction line: two coordinators",
        "gallery/air_conditioner", "air_conditioner.yaml",
        ("models.py", "refrigerant.py", "r22.json"),
    ),
    "control_loop": Example(
        "Control loop", "a controller that samples holds the level of a tank",
        "gallery/control_loop", "control_loop.yaml", ("models.py",),
    ),
    "control_loop_fmus": Example(
        "Control loop with FMUs", "the same with pump and tank as FMUs, compiled on this machine",
        "gallery/control_loop_fmus", "control_loop_fmus.yaml", ("../control_loop/models.py",),
        {"pump.fmu": "models.py:pump", "tank.fmu": "models.py:tank"},
    ),
}  # fmt: skip


def copied(name: str, folder: WorkFolder) -> str:
    """The file of an example in the folder, copied into it; a copy that is there stays as it is."""
    example = EXAMPLES.get(name)
    if example is None:
        raise OptionError(f"there is no example {name!r}")
    wanted = f"{name}/{example.system}"
    if folder.inside(wanted).is_file():
        return wanted
    if folder.inside(name).exists():
        raise FileError(name, "is there already, and no copy of the example", "rename it")
    try:
        folder.inside(name).mkdir()
    except OSError as error:
        raise FileError(name, f"the example cannot be copied there: {error.strerror}") from error
    try:
        _fill(example, folder, name)
    except BaseException as error:
        shutil.rmtree(folder.inside(name), ignore_errors=True)  # half of it is of no use
        if not isinstance(error, OSError):
            raise
        raise FileError(name, f"the example cannot be copied there: {error.strerror}") from error
    return wanted


def _fill(example: Example, folder: WorkFolder, name: str) -> None:
    """The system last: with it, the copy is whole."""
    home = files("dovetail.demo").joinpath(*example.home.split("/"))
    for file in (*example.others, example.system):
        if file == example.system:
            _make(example, folder.inside(name))
        with as_file(home.joinpath(file)) as path:
            shutil.copyfile(path, folder.inside(f"{name}/{file.rpartition('/')[2]}"))


def _make(example: Example, place: Path) -> None:
    """Compile its FMUs from models of ours, those of the wheel."""
    from ..exporting.whole_system import export

    for target, reference in example.made.items():
        model = load(place / reference)
        export(model, place / target, step=example.made_step)
