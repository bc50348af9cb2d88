"""Builds the FMUs of this example from their C sources: python build.py

Each is a shared library and a description in a zip file. It takes a C compiler; `CC` names one.
"""

import os
import platform
import shlex
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = ("motor", "governor")
FLAGS = ("-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")


def folder_of_binaries() -> str:
    """Where FMI 2 looks for the library of this machine."""
    system = {"darwin": "darwin", "linux": "linux"}[sys.platform]
    return f"{system}64" if platform.machine() == "x86_64" else f"{platform.machine()}-{system}"


def build(name: str) -> Path:
    """One FMU, in the folder `resources`; its path."""
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    path = HERE / "resources" / f"{name}.fmu"
    path.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / f"{name}{suffix}"
        compiler = shlex.split(os.environ.get("CC", "cc"))
        command = [*compiler, *FLAGS, "-o", str(library), str(HERE / f"{name}.c"), "-lm"]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(HERE / f"{name}.xml", "modelDescription.xml")
            archive.write(library, f"binaries/{folder_of_binaries()}/{library.name}")
    return path


if __name__ == "__main__":
    for model in MODELS:
        print(build(model).relative_to(HERE))
