"""Builds the test FMUs from the C sources beside this file.

    build("linear", 2, folder)                        the path of folder/linear-fmi2.fmu
    build("linear", 3, folder, state_saving=False)    a variant; see `Options`
    build_all(folder)                                 every model and version, in parallel

    python tests/fmus/build.py --all FOLDER
    python tests/fmus/build.py FOLDER linear 2 state_saving=False

Shared libraries are kept under build/fmus, named after what they were made from, so that a variant
in which only the description differs, another process and another day find them again.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import hashlib
import os
import platform
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for when it is run as a command

from fmus import describe
from fmus.models import LARGEST, MODELS, Model, Variable, output, table

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / "build" / "fmus"
FLAGS = (
    *("-std=c11", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"),
    *("-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L"),
)
LIES = (
    *("state", "symbols", "size", "derivatives", "reference", "token", "version"),
    "environment",  # messages come with another environment than the importer's
    "states",  # FMI 3, model exchange: an event adds a continuous state
    "indicators",  # the same with an event indicator
)
FLAWS = (  # of FMUs that people have, each in what their calls answer
    "setup",  # FMI 2: fmi2SetupExperiment takes every value back to its start
    "deaf",  # real parameters that are set are ignored
    "limits",  # real parameters that are set are at most 1.5
    "restore",  # continuous states stay where they are when a state is restored
    "restore_later",  # the same, from t = 10 s on
    "restore_next",  # a step after the repeated one is wrong: some memory is not restored
    "restore_crash",  # setting a state ends the process
    "reset",  # continuous states stay where they are when it is reset
    "reset_later",  # the same, from the twentieth reset on
    "reset_refused",  # a reset is an error
    "reset_crash",  # a reset ends the process
    "reset_hangs",  # a reset never returns
    "save_refused",  # saving a state is an error
    "flag",  # FMI 2 and 3: steps that may be taken back all begin where the first one did
    "globals",  # the state depends on the steps of all instances in the library
    "crowd",  # a second instance in the library ends the process
    "derivatives",  # FMI 1 and 2: derivatives of inputs are refused, and nothing else happens
    "derivatives_end",  # FMI 2: those above order 1 are refused, and no step succeeds any more
    "terminate",  # FMI 2 and 3: terminating fails
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """What can be had otherwise. Where a capability is off, its functions answer with Error."""

    state_saving: bool = True  # FMI 1: one step may be rejected
    serialization: bool = True
    directional_derivatives: bool = True
    adjoint_derivatives: bool = True  # FMI 3
    exposed_states: bool = True  # state derivatives are listed
    variable_step: bool = True
    refusal: str = "error"  # or "discard": how another step size is answered
    input_derivatives: int = 0  # highest order taken; FMI 1 and 2
    output_derivatives: int = 2  # highest order known
    intermediate_update: bool = False  # FMI 3
    event_mode: bool = False  # FMI 3
    early_return: bool = False  # FMI 3
    asynchronous: bool = False  # FMI 2
    co_simulation: bool = True
    model_exchange: bool = False  # FMI 1: instead of co-simulation
    scheduled: bool = False  # FMI 3: scheduled execution instead of co-simulation
    feedthrough: bool = False  # `linear`: y depends on u at once, d is 1
    strict: bool = False  # insists on the calling sequence, see grumpy.c
    minimal: bool = False  # functions of capabilities that are off do not exist
    memory_callbacks: bool = False  # FMI 1 and 2: allocates by the importer's functions
    new_nominals: bool = False  # FMI 3, model exchange: states are 1000 times larger after events
    lie: str | None = None  # one of LIES
    flaw: str | None = None  # one of FLAWS
    library: str | None = None  # name of the library, if not that of the model
    platform: str | None = None  # folder of the library, if not this machine's
    source_only: bool = False  # sources instead of a library; FMI 2 and 3
    edit: Callable[[str], str] | None = None  # changes the description at last

    references: Mapping[str, int] = field(default_factory=dict)  # this and the next: by `build`
    identifier: str = ""

    @property
    def exposes_states(self) -> bool:
        return self.exposed_states or self.model_exchange

    @property
    def serializes(self) -> bool:
        return self.state_saving and self.serialization

    @property
    def source_file(self) -> str:
        return f"fmu_{self.identifier}.c"


INTERNAL = ("references", "identifier")


# ---- C ---------------------------------------------------------------------------------------

STORAGE = {  # of each kind: the array in struct Variables, and the type of its elements
    "Float64": ("float64", "double"),
    "Float32": ("float32", "float"),
    **{
        f"{u}Int{n}": (f"{u.lower()}int{n}", f"{u.lower()}int{n}_t")
        for n in (8, 16, 32, 64)
        for u in ("", "U")
    },
    "Boolean": ("boolean", "int"),
    "String": ("string", "char"),
    "Binary": ("binary", "Bytes"),
    "Clock": ("clock", "bool"),
}
OLD_KINDS = ("Float64", "Int32", "Boolean", "String")
TEXT = 128  # bytes of a string or binary
RANGE = 1000  # in FMI 3 value references of one kind begin at a multiple of this


def _storage(kind: str, version: int) -> str:
    """Enumerations are kept as integers: which, depends on the version."""
    return ("Int64" if version == 3 else "Int32") if kind == "Enumeration" else kind


def _groups(variables: Sequence[Variable], version: int) -> dict[str, list[Variable]]:
    kinds = STORAGE if version == 3 else OLD_KINDS
    return {k: [v for v in variables if _storage(v.kind, version) == k] for k in kinds}


def references(variables: Sequence[Variable], version: int) -> dict[str, int]:
    """Value references: in FMI 1 and 2 each type counts from 0, in FMI 3 all are different."""
    return {
        v.name: i + (RANGE * n if version == 3 else 0)
        for n, group in enumerate(_groups(variables, version).values())
        for i, v in enumerate(group)
    }


def _role(v: Variable) -> str:
    facts = {
        "TIME": v.causality == "independent",
        "INPUT": v.causality == "input",
        "CONTINUOUS_INPUT": v.causality == "input" and v.variability == "continuous",
        "OUTPUT": v.causality == "output",
        "EXACT": v.is_exact and v.variability != "constant",
        "TUNABLE": v.variability == "tunable",
        "STRUCTURAL": v.causality == "structuralParameter",
        "PARAMETER": v.causality == "parameter",
        "UNKNOWN": v.is_initial_unknown,
        "STATE": v.is_state,
        "DERIVATIVE": v.derivative_of is not None,
    }
    return " | ".join(name for name, holds in facts.items() if holds) or "0"


def _largest(v: Variable) -> int:
    """How many values it may have at most."""
    n = 1
    for extent in v.shape:
        n *= LARGEST if isinstance(extent, str) else extent
    return n


def _values(v: Variable) -> list[str]:
    start = v.start if v.start is not None else b"" if v.kind == "Binary" else 0
    if v.kind == "String":
        return ['"' + (v.start or "").replace("\\", "\\\\").replace('"', '\\"') + '"']
    if v.kind == "Binary":
        return [f"{{ {len(start)}, {{ {', '.join(map(str, start)) or 0} }} }}"]
    each = start if isinstance(start, list) else [start] * _largest(v)
    return [str(int(x) if isinstance(x, bool) else x) for x in each]


def _members(kind: str, group: Sequence[Variable], version: int) -> str:
    array, element = STORAGE[kind]
    if kind == "Boolean" and version == 3:
        element = "bool"
    room = "[TEXT]" if kind == "String" else ""
    if not group:
        return f"    {element} {array}[0]{room};"
    names = ", ".join(v.c_name + (f"[{_largest(v)}]" if v.shape else "") + room for v in group)
    size = sum(map(_largest, group))
    whole, parts = f"{element} {array}[{size}]{room};", f"struct {{ {element} {names}; }};"
    return f"    union {{\n        {whole}\n        {parts}\n    }};"


def _array(declaration: str, values: Sequence[str]) -> str:
    return f"TABLE {declaration}[] = {{ {', '.join(values) or 0} }};"


def source(model: Model, variables: Sequence[Variable], version: int, options: Options) -> str:
    """The one file that is compiled: definitions, then the model, then the functions."""
    lying = options.lie
    switches = {
        "FMI": version,
        "MODEL": options.identifier,
        "TOKEN": f'"{_token(model, version)}{"?" if lying == "token" else ""}"',
        "TEXT": TEXT,
        "LARGEST": LARGEST,
        "STATE_SAVING": options.state_saving and lying not in ("state", "symbols"),
        "SERIALIZATION": options.serializes and lying not in ("state", "symbols"),
        "DIRECTIONAL": options.directional_derivatives and lying != "derivatives",
        "ADJOINT": options.adjoint_derivatives and lying != "derivatives",
        "VARIABLE_STEP": options.variable_step,
        "REFUSE_BY_DISCARD": options.refusal == "discard",
        "INPUT_ORDER": options.input_derivatives,
        "OUTPUT_ORDER": options.output_derivatives,
        "INTERMEDIATE_UPDATE": options.intermediate_update,
        "EVENT_MODE": options.event_mode,
        "CO_SIMULATION": options.co_simulation and not options.scheduled,
        "SCHEDULED": options.scheduled,
        "MODEL_EXCHANGE": options.model_exchange,
        "STRICT": options.strict,
        "MINIMAL": options.minimal or lying == "symbols",
        "MEMORY_CALLBACKS": options.memory_callbacks,
        "LIE_SIZE": lying == "size",
        "LIE_VERSION": lying == "version",
        "LIE_STATES": lying == "states",
        "LIE_INDICATORS": lying == "indicators",
        "NEW_NOMINALS": options.new_nominals,
        "LIE_ENVIRONMENT": lying == "environment",
        **{f"FLAW_{name.upper()}": options.flaw == name for name in FLAWS},
    }
    groups = _groups(variables, version)
    for n, (kind, group) in enumerate(groups.items()):
        name = STORAGE[kind][0].upper()
        switches[f"{name}_COUNT"] = len(group)
        switches[f"{name}_BASE"] = RANGE * n if version == 3 else 0
    floats = groups["Float64"]
    place, at = {}, 0
    for v in floats:
        place[v.name] = at
        at += _largest(v)
    derivatives = {v.derivative_of: v for v in floats if v.derivative_of}
    states = [v for v in floats if v.name in derivatives]
    indicators = [v for v in floats if v.is_indicator]
    switches |= {
        "FLOAT64_SIZE": at,
        "STATES": sum(map(_largest, states)),
        "INDICATORS": len(indicators),
        "ARRAYS": any(v.shape for v in floats),
        "STRUCTURAL_COUNT": sum(v.causality == "structuralParameter" for v in variables),
        "BINARY_COUNT": len(groups.get("Binary", ())),
        "CLOCK_COUNT": len(groups.get("Clock", ())),
        "CLOCK_INTERVAL": next((v.interval for v in variables if v.interval), 0),
    }
    spots = [place[v.name] + i for v in states for i in range(_largest(v))]
    slope_spots = [place[derivatives[v.name].name] + i for v in states for i in range(_largest(v))]
    lines = [
        f"/* Made by build.py from the table of `{model.name}`, for FMI {version}. */",
        *(f"#define {k} {int(v) if isinstance(v, bool) else v}" for k, v in switches.items()),
        f"#define BEHAVIOUR_{model.name}",
        "#define TABLE static const __attribute__((unused))",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "typedef struct { size_t size; unsigned char bytes[TEXT]; } Bytes;",
        "typedef struct {",
        *(_members(kind, group, version) for kind, group in groups.items()),
        "} Variables;",
        "TABLE Variables START = {",
        *(
            f"    .{STORAGE[k][0]} = {{ {', '.join(x for v in group for x in _values(v))} }},"
            for k, group in groups.items()
            if group
        ),
        "};",
        "enum {",
        *(f"    REF_{v.c_name} = {place[v.name]}," for v in floats),
        "};",
        '#include "roles.h"',
    ]
    for kind, group in groups.items():
        array = STORAGE[kind][0]
        lines.append(_array(f"short {array}_role", [_role(v) for v in group]))
        lines.append(_array(f"char *const {array}_name", [f'"{v.name}"' for v in group]))
        clocks = [v.name for v in groups.get("Clock", ())]
        awake = [str(clocks.index(v.clock)) if v.clock else "-1" for v in group]
        lines.append(_array(f"short {array}_clock", awake))
    each = [_role(v) for v in floats for _ in range(_largest(v))]
    lines.append(_array("short float64_flat_role", each))
    lines.append(_array("size_t state_place", [str(s) for s in spots]))
    lines.append(_array("size_t derivative_place", [str(s) for s in slope_spots]))
    lines.append(_array("size_t indicator_place", [str(place[v.name]) for v in indicators]))
    if switches["ARRAYS"]:
        shapes = [
            f"{{ {place[v.name]}, {_largest(v) // (LARGEST if by else 1)}, {int(by)} }}"
            for v in floats
            for by in [any(isinstance(e, str) for e in v.shape)]
        ]
        lines.append(_array("struct { size_t place, fixed; bool by_size; } float64_shape", shapes))
    lines += [f'#include "{model.file}"', f'#include "fmi{version}.c"', ""]
    return "\n".join(lines)


# ---- libraries -------------------------------------------------------------------------------


def _token(model: Model, version: int) -> str:
    name = f"https://dovetail.test/fmus/{model.name}/{version}"
    return f"{{{uuid.uuid5(uuid.NAMESPACE_URL, name)}}}"


def _sources(model: Model, version: int) -> list[Path]:
    headers = sorted(HERE.glob("*.h"))
    return [*headers, HERE / f"fmi{version}.c", HERE / model.file]


def compile_library(text: str, model: Model, version: int) -> Path:
    """The shared library made from this text, compiled unless it is there already."""
    compiler = [os.environ.get("CC", "cc"), "-O2" if model.is_fast else "-O0", *FLAGS]
    digest = hashlib.sha256(f"{compiler} {platform.machine()}\n{text}".encode())
    for path in _sources(model, version):
        digest.update(path.read_bytes())
    CACHE.mkdir(parents=True, exist_ok=True)
    library = CACHE / f"{model.name}-fmi{version}-{digest.hexdigest()[:16]}.so"
    if library.exists():
        return library
    with open(library.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two processes may want it at the same time
        if library.exists():
            return library
        main = library.with_suffix(".c")
        main.write_text(text)
        made = library.with_suffix(".new")
        command = [*compiler, f"-I{HERE}", "-o", str(made), str(main), "-lm", "-lpthread"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{model.name}, FMI {version}: {' '.join(command)}\n{done.stderr}")
        made.rename(library)
    return library


def platform_folder(version: int) -> str:
    """Where the binaries of this machine lie in an FMU."""
    system = {"linux": "linux", "darwin": "darwin"}[sys.platform]
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    if version == 3 or machine != "x86_64":
        return f"{machine}-{system}"
    return f"{system}64"


def suffix() -> str:
    return ".dylib" if sys.platform == "darwin" else ".so"


# ---- archives --------------------------------------------------------------------------------


def options_of(name: str, version: int, **chosen: Any) -> Options:
    """The options of a model, those chosen over its own over the general ones."""
    model = MODELS.get(name)
    if model is None or version not in model.versions:
        raise ValueError(f"there is no test model '{name}' for FMI {version}")
    own = dict(model.defaults) | (dict(model.defaults3) if version == 3 else {})
    unknown = set(chosen) - {f.name for f in fields(Options)} | set(chosen) & set(INTERNAL)
    if unknown:
        raise ValueError(f"no such option of a test FMU: {', '.join(sorted(unknown))}")
    options = Options(**(own | chosen))
    if options.lie is not None and options.lie not in LIES:
        raise ValueError(f"a lie is one of {', '.join(LIES)}, not '{options.lie}'")
    if options.flaw is not None and options.flaw not in FLAWS:
        raise ValueError(f"a flaw is one of {', '.join(FLAWS)}, not '{options.flaw}'")
    made = table(model, version, options)
    return replace(options, references=references(made, version), identifier=name)


def file_name(name: str, version: int, chosen: Mapping[str, Any]) -> str:
    """linear-fmi2.fmu, linear-fmi2-no-state-saving.fmu, ..."""
    parts = [name, f"fmi{version}"]
    for option, value in sorted(chosen.items()):
        words = option.replace("_", "-")
        if callable(value):
            parts.append(f"{words}-{id(value):x}")
        else:
            parts.append(
                words if value is True else f"no-{words}" if value is False else f"{words}-{value}"
            )
    return "-".join(parts) + ".fmu"


def build(name: str, version: int, target_dir: str | Path, **chosen: Any) -> Path:
    """Builds one FMU into a folder and returns its path; `chosen` are fields of `Options`."""
    options = options_of(name, version, **chosen)
    model = MODELS[name]
    variables = table(model, version, options)
    text = source(model, variables, version, options)
    described = variables
    if options.lie == "reference":
        described = [*variables, output("z")]
        options = replace(options, references={**options.references, "z": RANGE - 1})
    xml = describe.WRITERS[version](model, described, options, _token(model, version))
    contents: dict[str, bytes] = {}
    if options.source_only:
        for path in _sources(model, version):
            contents[f"sources/{path.name}"] = path.read_bytes()
        contents[f"sources/{options.source_file}"] = text.encode()
        if version == 3:
            contents["sources/buildDescription.xml"] = describe.build_description(options).encode()
    else:
        folder = options.platform or platform_folder(version)
        library = compile_library(text, model, version)
        contents[f"binaries/{folder}/{options.library or name}{suffix()}"] = library.read_bytes()
    contents["modelDescription.xml"] = (options.edit(xml) if options.edit else xml).encode()
    target = Path(target_dir) / file_name(name, version, chosen)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    with zipfile.ZipFile(partial, "w") as archive:  # equal contents give equal files
        for entry, data in sorted(contents.items()):
            info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    partial.replace(target)
    return target


def build_all(target_dir: str | Path) -> dict[tuple[str, int], Path]:
    """Every model for every version it has, compiled in parallel."""
    wanted = [(name, version) for name, model in MODELS.items() for version in model.versions]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(lambda one: build(*one, target_dir), wanted)
        return dict(zip(wanted, made, strict=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command: see the top of this file."""
    parser = argparse.ArgumentParser(description="Builds the test FMUs.")
    parser.add_argument("--all", action="store_true", help="every model and version")
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="?", choices=MODELS)
    parser.add_argument("version", nargs="?", type=int)
    parser.add_argument("options", nargs="*", metavar="OPTION=VALUE")
    given = parser.parse_args(arguments)
    if given.all:
        for path in build_all(given.folder).values():
            print(path)
        return
    if given.version is None:
        parser.error("give a model and a version of FMI, or --all")
    chosen = dict(option.split("=", 1) for option in given.options)
    values = {key: _literal(value) for key, value in chosen.items()}
    print(build(given.name, given.version, given.folder, **values))


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


if __name__ == "__main__":
    main()
