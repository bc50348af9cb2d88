"""Builds the FMU of `culprit.c`, which does what it must not; see there."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zipfile
from pathlib import Path

from fmus.build import CACHE, platform_folder, suffix

SOURCE = Path(__file__).resolve().with_name("culprit.c")
FLAGS = ("-std=c11", "-O0", "-w", "-fPIC", "-shared", "-fvisibility=hidden")
_XML = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="culprit" guid="culprit">
<CoSimulation modelIdentifier="culprit" canHandleVariableCommunicationStepSize="true"
 canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>
<DefaultExperiment startTime="0" stopTime="1" stepSize="0.1"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="1" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="2" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="outcome" valueReference="3" causality="output"><Real/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs>
<Unknown index="2" dependencies=""/><Unknown index="3" dependencies=""/>
</Outputs></ModelStructure>
</fmiModelDescription>
"""


def culprit(folder: Path) -> Path:
    """The path of culprit.fmu in a folder."""
    path = folder / "culprit.fmu"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("modelDescription.xml", _XML)
        made.writestr("resources/data.txt", "it may read this\n")
        made.write(_library(), f"binaries/{platform_folder(2)}/culprit{suffix()}")
    return path


def _library() -> Path:
    text = SOURCE.read_bytes()
    library = CACHE / f"culprit-{hashlib.sha256(text).hexdigest()[:16]}{suffix()}"
    if not library.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        made = library.with_suffix(f".{os.getpid()}")
        words = [os.environ.get("CC", "cc"), *FLAGS, "-o", made, SOURCE, "-lpthread"]
        subprocess.run(words, check=True)
        made.rename(library)
    return library
