"""FMI 1.0. Names in a library carry the model identifier in front."""

from __future__ import annotations

import ctypes as c

from .types import Component, Pointer, Real, Signature, Size, Status, Text

Boolean = c.c_char


class Callbacks(c.Structure):
    """fmiCallbackFunctions, passed by value."""

    _fields_ = (
        ("logger", c.c_void_p),
        ("allocateMemory", c.c_void_p),
        ("freeMemory", c.c_void_p),
        ("stepFinished", c.c_void_p),
    )


_ACCESS: Signature = (Status, Component, Pointer, Size, Pointer)

SIGNATURES: dict[str, Signature] = {
    "fmiGetTypesPlatform": (Text,),
    "fmiGetVersion": (Text,),
    "fmiSetDebugLogging": (Status, Component, Boolean),
    "fmiInstantiateSlave": (
        Component, Text, Text, Text, Text, Real, Boolean, Boolean, Callbacks, Boolean,
    ),
    "fmiInitializeSlave": (Status, Component, Real, Boolean, Real),
    "fmiTerminateSlave": (Status, Component),
    "fmiResetSlave": (Status, Component),
    "fmiFreeSlaveInstance": (None, Component),
    "fmiGetReal": _ACCESS,
    "fmiGetInteger": _ACCESS,
    "fmiGetBoolean": _ACCESS,
    "fmiGetString": _ACCESS,
    "fmiSetReal": _ACCESS,
    "fmiSetInteger": _ACCESS,
    "fmiSetBoolean": _ACCESS,
    "fmiSetString": _ACCESS,
    "fmiSetRealInputDerivatives": (Status, Component, Pointer, Size, Pointer, Pointer),
    "fmiGetRealOutputDerivatives": (Status, Component, Pointer, Size, Pointer, Pointer),
    "fmiDoStep": (Status, Component, Real, Real, Boolean),
    "fmiCancelStep": (Status, Component),
    "fmiGetStatus": (Status, Component, c.c_int, c.POINTER(c.c_int)),
    "fmiGetRealStatus": (Status, Component, c.c_int, c.POINTER(Real)),
}  # fmt: skip

REQUIRED = (
    "fmiInstantiateSlave", "fmiInitializeSlave", "fmiFreeSlaveInstance", "fmiDoStep",
)  # fmt: skip

LAST_SUCCESSFUL_TIME = 2


class ModelCallbacks(c.Structure):
    """fmiCallbackFunctions of model exchange, passed by value."""

    _fields_ = (
        ("logger", c.c_void_p),
        ("allocateMemory", c.c_void_p),
        ("freeMemory", c.c_void_p),
    )


class EventInfo(c.Structure):
    """fmiEventInfo."""

    _fields_ = (
        ("iterationConverged", Boolean),
        ("stateValueReferencesChanged", Boolean),
        ("stateValuesChanged", Boolean),
        ("terminateSimulation", Boolean),
        ("upcomingTimeEvent", Boolean),
        ("nextEventTime", Real),
    )


_VECTOR: Signature = (Status, Component, Pointer, Size)

EXCHANGE: dict[str, Signature] = {
    "fmiGetModelTypesPlatform": (Text,),
    "fmiInstantiateModel": (Component, Text, Text, ModelCallbacks, Boolean),
    "fmiFreeModelInstance": (None, Component),
    "fmiInitialize": (Status, Component, Boolean, Real, c.POINTER(EventInfo)),
    "fmiTerminate": (Status, Component),
    "fmiSetTime": (Status, Component, Real),
    "fmiSetContinuousStates": _VECTOR,
    "fmiCompletedIntegratorStep": (Status, Component, c.POINTER(Boolean)),
    "fmiGetDerivatives": _VECTOR,
    "fmiGetEventIndicators": _VECTOR,
    "fmiEventUpdate": (Status, Component, Boolean, c.POINTER(EventInfo)),
    "fmiGetContinuousStates": _VECTOR,
    "fmiGetNominalContinuousStates": _VECTOR,
    "fmiGetStateValueReferences": _VECTOR,
}

EXCHANGE_REQUIRED = (
    "fmiInstantiateModel", "fmiInitialize", "fmiFreeModelInstance", "fmiSetTime", "fmiEventUpdate",
)  # fmt: skip
