"""The C headers of FMI 2 and 3, which an FMU's sources include and the importer provides.

The functions are a table here: name, result, arguments. A capital letter begins a type of FMI,
and the version is put before it. The standard's own files are not used: copies of them would be
other people's code in here, and the package that brings them, FMPy, is 20 MB.
"""
# Over 250 lines: the declarations of two versions of a standard, as data.

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from ...xml import cache

_KNOWN = "Component, const ValueReference[], size_t"
_FUNCTIONS_2 = f"""
GetTypesPlatform    const char* : void
GetVersion          const char* : void
SetDebugLogging     Status : Component, Boolean, size_t, const String[]
Instantiate         Component : String, Type, String, String, const CallbackFunctions*, Boolean, \
Boolean
FreeInstance        void : Component
SetupExperiment     Status : Component, Boolean, Real, Real, Boolean, Real
EnterInitializationMode     Status : Component
ExitInitializationMode      Status : Component
Terminate           Status : Component
Reset               Status : Component
GetReal             Status : {_KNOWN}, Real[]
GetInteger          Status : {_KNOWN}, Integer[]
GetBoolean          Status : {_KNOWN}, Boolean[]
GetString           Status : {_KNOWN}, String[]
SetReal             Status : {_KNOWN}, const Real[]
SetInteger          Status : {_KNOWN}, const Integer[]
SetBoolean          Status : {_KNOWN}, const Boolean[]
SetString           Status : {_KNOWN}, const String[]
GetFMUstate         Status : Component, FMUstate*
SetFMUstate         Status : Component, FMUstate
FreeFMUstate        Status : Component, FMUstate*
SerializedFMUstateSize      Status : Component, FMUstate, size_t*
SerializeFMUstate   Status : Component, FMUstate, Byte[], size_t
DeSerializeFMUstate Status : Component, const Byte[], size_t, FMUstate*
GetDirectionalDerivative    Status : {_KNOWN}, const ValueReference[], size_t, const Real[], Real[]
EnterEventMode      Status : Component
NewDiscreteStates   Status : Component, EventInfo*
EnterContinuousTimeMode     Status : Component
CompletedIntegratorStep     Status : Component, Boolean, Boolean*, Boolean*
SetTime             Status : Component, Real
SetContinuousStates Status : Component, const Real[], size_t
GetDerivatives      Status : Component, Real[], size_t
GetEventIndicators  Status : Component, Real[], size_t
GetContinuousStates Status : Component, Real[], size_t
GetNominalsOfContinuousStates   Status : Component, Real[], size_t
SetRealInputDerivatives     Status : {_KNOWN}, const Integer[], const Real[]
GetRealOutputDerivatives    Status : {_KNOWN}, const Integer[], Real[]
DoStep              Status : Component, Real, Real, Boolean
CancelStep          Status : Component
GetStatus           Status : Component, const StatusKind, Status*
GetRealStatus       Status : Component, const StatusKind, Real*
GetIntegerStatus    Status : Component, const StatusKind, Integer*
GetBooleanStatus    Status : Component, const StatusKind, Boolean*
GetStringStatus     Status : Component, const StatusKind, String*
"""

_REFERRED = "Instance, const ValueReference[], size_t"
_BORN = "String, String, String, Boolean, Boolean"
_NUMBERS = (
    "Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64",
    "Boolean", "String",
)  # fmt: skip
_ACCESS = "\n".join(
    f"{verb}{name} Status : {_REFERRED}, {const}{name}[], size_t"
    for verb, const in (("Get", ""), ("Set", "const "))
    for name in _NUMBERS
)
_FUNCTIONS_3 = f"""
GetVersion          const char* : void
SetDebugLogging     Status : Instance, Boolean, size_t, const String[]
InstantiateModelExchange    Instance : {_BORN}, InstanceEnvironment, LogMessageCallback
InstantiateCoSimulation     Instance : {_BORN}, Boolean, Boolean, const ValueReference[], size_t, \
InstanceEnvironment, LogMessageCallback, IntermediateUpdateCallback
InstantiateScheduledExecution   Instance : {_BORN}, InstanceEnvironment, LogMessageCallback, \
ClockUpdateCallback, LockPreemptionCallback, UnlockPreemptionCallback
FreeInstance        void : Instance
EnterInitializationMode     Status : Instance, Boolean, Float64, Float64, Boolean, Float64
ExitInitializationMode      Status : Instance
EnterEventMode      Status : Instance
Terminate           Status : Instance
Reset               Status : Instance
{_ACCESS}
GetBinary           Status : {_REFERRED}, size_t[], Binary[], size_t
SetBinary           Status : {_REFERRED}, const size_t[], const Binary[], size_t
GetClock            Status : {_REFERRED}, Clock[]
SetClock            Status : {_REFERRED}, const Clock[]
GetNumberOfVariableDependencies Status : Instance, ValueReference, size_t*
GetVariableDependencies     Status : Instance, ValueReference, size_t[], ValueReference[], \
size_t[], DependencyKind[], size_t
GetFMUState         Status : Instance, FMUState*
SetFMUState         Status : Instance, FMUState
FreeFMUState        Status : Instance, FMUState*
SerializedFMUStateSize      Status : Instance, FMUState, size_t*
SerializeFMUState   Status : Instance, FMUState, Byte[], size_t
DeserializeFMUState Status : Instance, const Byte[], size_t, FMUState*
GetDirectionalDerivative    Status : {_REFERRED}, const ValueReference[], size_t, \
const Float64[], size_t, Float64[], size_t
GetAdjointDerivative        Status : {_REFERRED}, const ValueReference[], size_t, \
const Float64[], size_t, Float64[], size_t
EnterConfigurationMode      Status : Instance
ExitConfigurationMode       Status : Instance
GetIntervalDecimal  Status : {_REFERRED}, Float64[], IntervalQualifier[]
GetIntervalFraction Status : {_REFERRED}, UInt64[], UInt64[], IntervalQualifier[]
GetShiftDecimal     Status : {_REFERRED}, Float64[]
GetShiftFraction    Status : {_REFERRED}, UInt64[], UInt64[]
SetIntervalDecimal  Status : {_REFERRED}, const Float64[]
SetIntervalFraction Status : {_REFERRED}, const UInt64[], const UInt64[]
SetShiftDecimal     Status : {_REFERRED}, const Float64[]
SetShiftFraction    Status : {_REFERRED}, const UInt64[], const UInt64[]
EvaluateDiscreteStates      Status : Instance
UpdateDiscreteStates        Status : Instance, Boolean*, Boolean*, Boolean*, Boolean*, Boolean*, \
Float64*
EnterContinuousTimeMode     Status : Instance
CompletedIntegratorStep     Status : Instance, Boolean, Boolean*, Boolean*
SetTime             Status : Instance, Float64
SetContinuousStates Status : Instance, const Float64[], size_t
GetContinuousStateDerivatives   Status : Instance, Float64[], size_t
GetEventIndicators  Status : Instance, Float64[], size_t
GetContinuousStates Status : Instance, Float64[], size_t
GetNominalsOfContinuousStates   Status : Instance, Float64[], size_t
GetNumberOfEventIndicators  Status : Instance, size_t*
GetNumberOfContinuousStates Status : Instance, size_t*
EnterStepMode       Status : Instance
GetOutputDerivatives        Status : {_REFERRED}, const Int32[], Float64[], size_t
DoStep              Status : Instance, Float64, Float64, Boolean, Boolean*, Boolean*, Boolean*, \
Float64*
ActivateModelPartition      Status : Instance, ValueReference, Float64
"""

_BASICS_2 = """
#define fmi2TypesPlatform "default"
typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char *fmi2String;
#define fmi2True 1
#define fmi2False 0
"""
_STRUCTURES_2 = """
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
    fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated
} fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(
    fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef void *(*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void *);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);
typedef struct {
    fmi2CallbackLogger logger;
    fmi2CallbackAllocateMemory allocateMemory;
    fmi2CallbackFreeMemory freeMemory;
    fmi2StepFinished stepFinished;
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;
"""
_BASICS_3 = """
#include <stdbool.h>
#include <stdint.h>
typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef int16_t fmi3Int16;
typedef int32_t fmi3Int32;
typedef int64_t fmi3Int64;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef uint16_t fmi3UInt16;
typedef uint32_t fmi3UInt32;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef const fmi3Byte *fmi3Binary;
#define fmi3True true
#define fmi3False false
#define fmi3ClockActive true
#define fmi3ClockInactive false
"""
_STRUCTURES_3 = """
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent
} fmi3DependencyKind;
typedef enum {
    fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged
} fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(
    fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(
    fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean,
    fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);
"""

_FORM = re.compile(r"^(\w+)\s+(.+?) : (.+)$", re.MULTILINE)
_WORD = re.compile(r"\b[A-Z]\w*")


def folder() -> Path:
    """Where the headers are; they are written there once."""
    files = {**_files("2", "TypesPlatform", _BASICS_2, _STRUCTURES_2, _FUNCTIONS_2)}
    files |= _files("3", "PlatformTypes", _BASICS_3, _STRUCTURES_3, _FUNCTIONS_3)
    digest = sha256("".join(files.values()).encode()).hexdigest()[:16]

    def write(partial: Path) -> None:
        for name, text in files.items():
            (partial / name).write_text(text, encoding="utf-8")

    return cache.made_once(cache.folder() / "headers" / digest, write)


def _files(
    version: str, basics_name: str, basics: str, structures: str, functions: str
) -> dict[str, str]:
    fmi, capital = f"fmi{version}", f"FMI{version}"
    forms = _FORM.findall(functions)
    types, names, declared = [], [], []
    for name, result, arguments in forms:
        prefixed = [_WORD.sub(rf"{fmi}\g<0>", text) for text in (result, arguments)]
        types.append(f"typedef {prefixed[0]} {fmi}{name}TYPE({prefixed[1]});")
        names.append(f"#define {fmi}{name} {fmi}FullName({fmi}{name})")
        declared.append(f"{capital}_Export {fmi}{name}TYPE {fmi}{name};")
    exported = f"""
#if !defined({capital}_OVERRIDE_FUNCTION_PREFIX) && defined({capital}_FUNCTION_PREFIX)
#define {capital}_ACTUAL_FUNCTION_PREFIX {capital}_FUNCTION_PREFIX
#define {fmi}Join_(a, b) a##b
#define {fmi}Join(a, b) {fmi}Join_(a, b)
#define {fmi}FullName(name) {fmi}Join({capital}_ACTUAL_FUNCTION_PREFIX, name)
#else
#define {fmi}FullName(name) name
#endif
#if !defined({capital}_Export)
#if defined(_WIN32) || defined(__CYGWIN__)
#define {capital}_Export __declspec(dllexport)
#else
#define {capital}_Export __attribute__((visibility("default")))
#endif
#endif
#define {fmi}Version "{version}.0"
"""
    first, second = f"{fmi}{basics_name}.h", f"{fmi}FunctionTypes.h"
    including = f'#include <stddef.h>\n#include "{first}"\n'
    return {
        first: _guarded(f"{fmi}{basics_name}_h", basics),
        second: _guarded(f"{fmi}FunctionTypes_h", including, structures, *types),
        f"{fmi}Functions.h": _guarded(
            f"{fmi}Functions_h", f'#include "{second}"\n', exported, *names, *declared
        ),
    }


def _guarded(guard: str, including: str, *body: str) -> str:
    """A header that may be included twice, and from C++."""
    opened, closed = '#ifdef __cplusplus\nextern "C" {\n#endif', "#ifdef __cplusplus\n}\n#endif"
    inner = (opened, *body, closed) if body else ()
    return "\n".join([f"#ifndef {guard}\n#define {guard}", including, *inner, "#endif\n"])
