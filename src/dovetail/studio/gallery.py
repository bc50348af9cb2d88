"""Examples to begin with, opened as copies in the folder of the user."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files

from ..core.errors import FileError, OptionError
from .folder import WorkFolder


@dataclass(frozen=True, slots=True)
class Example:
    """A system and its models: where they lie in `demo`, the file to open, and the others."""

    title: str
    purpose: str
    home: str
    system: str
    others: tuple[str, ...]


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
    source = files("dovetail.demo")
    try:
        folder.inside(name).mkdir()
        for file in (*example.others, example.system):  # the system last: with it, it is whole
            with as_file(source.joinpath(*example.home.split("/"), file)) as path:
                shutil.copyfile(path, folder.inside(f"{name}/{file}"))
    except OSError as error:
        raise FileError(name, f"the example cannot be copied there: {error.strerror}") from error
    return wanted
