"""Model-exchange FMUs in native windows: lent to the kernel, and taken back."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from math import inf, nan
from typing import Any, cast

import numpy as np

from ...core.errors import PartFailed
from ...core.signals import Signals, Vector, Waveform
from ...core.statistics import Effort
from ...core.window import Window
from ...integrators import Auto, Cvode, FixedSize, IntegrationFailed, Rk45
from ...integrators.auto import AutoFollower
from ...integrators.base import not_finite, too_many, too_small
from ...integrators.compiled import Compiled
from ...integrators.cvode import Continuing
from ...integrators.flow import FAILED, NO_NUMBERS
from ...integrators.rk45 import REMEDY
from ...subsystems.live import Live
from ..calls.instance import CallFailed
from ..kernel import NativeSolved
from ..parts.modelexchange import ModelExchange
from .answering import AnswersAsFmu, answering
from .eventful import Readiness

_METHODS = {"euler": 1, "semi_implicit": 2, "heun": 3, "midpoint": 4, "rk4": 5}  # of solved.c
_RK45 = 6
_ENDLESS, _TOO_SMALL, _TOO_MANY = 20, 21, 22  # why rk45 cannot go on: of explicit.c
_ROOM = 15  # arrays of states, for explicit steps
_SETTING, _GETTING, _SOLVING = 1, 3, 14  # where the kernel failed


class SolvedMembers:
    """All of them in one batch, by their places."""

    def __init__(self, members: Any, lives: Sequence[Live], outputs: Sequence[slice]) -> None:
        self.by_place = {
            k: SolvedMember(members[k], live, outputs[k])
            for k, live in enumerate(lives)
            if isinstance(answering(live), ModelExchange | AnswersAsFmu)
        }

    def lend(self, *, moving: bool) -> Readiness:
        """Let native windows have them; as soon as one cannot be had, none is."""
        for member in self.by_place.values():
            if (readiness := member.lend(moving=moving)) != "ready":
                return readiness
        return "ready"

    def take_back(self, windows: int, outputs: Vector) -> None:
        """Have them again, behind so many windows."""
        for member in self.by_place.values():
            member.take_back(windows, outputs)


class SolvedMember:
    """One live part with its equations. Twin in C: `native/solved.c`.

    Python has it as long as anything happens to it. Where nothing does it is lent to native
    windows, which take it along without a trace but where it stands, what it cost and how its
    integrator goes on.
    """

    def __init__(self, member: Any, live: Live, span: slice) -> None:
        self._live, self._span = live, span
        self.part = cast(ModelExchange, answering(live))  # or what answers as one
        self._member, self._native = member, NativeSolved()
        self._flow: Any = None
        self._arrays: dict[str, Vector] = {}
        n, inputs = self.part.x.size, self.part.u.reals.size
        indicators = self.part.evaluation.indicators
        for name in ("x", "x0", "x1", "there", "atol"):
            self._room(name, n)
        for name in ("u", "u0", "u1", "held", "held0", "tested"):
            self._room(name, inputs)
        self._room("room", _ROOM * n + indicators)
        member.solved = c.addressof(self._native)
        member.early = int(self.part.model.batch_role == "lent, may leave")
        member.until_check = 2**31 - 1  # who is solved here is not asked whether it rolls back

    def lend(self, *, moving: bool) -> Readiness:
        """Let native windows have it, if nothing is due; `moving`: inputs follow curves there."""
        part, native = self.part, self._native
        flow = part.native_flow
        if flow is None or part.broken is not None or not (part.x.size or part.is_stateless):
            return "never"
        standing = part.mode != "continuous" or part.due or bool(part.fired or part.zeros)
        if standing or 0 in part.signs:
            return "later"
        ready = self._bind_integrator(moving=moving)
        if ready != "ready":
            return ready
        flow.flow.signs[:] = part.signs
        self._flow = flow.flow
        native.flow = c.addressof(flow.flow.known)
        arrays, held = self._arrays, part.course.held
        arrays["x"][:], arrays["u"][:] = part.x, part.u.reals
        native.is_held = int(held is not None)
        if held is not None:
            arrays["held"][:] = held.coefficients[:, 0]
        native.time, native.next_event = part.t, part.next_time
        native.span = part.last_size
        native.n_inlets = flow.inlets
        native.ending = native.left = native.is_tested = 0
        native.evaluations = native.steps = native.stiff_steps = 0
        return "ready"

    def take_back(self, windows: int, outputs: Vector) -> None:
        """Have it again, behind so many windows, with the outputs of all parts."""
        part, native, live, arrays = self.part, self._native, self._live, self._arrays
        course, follower = part.course, part.course.follower
        if isinstance(follower, Continuing):
            follower.stand(native.there_at, arrays["there"].copy())
        if windows:
            x, u = arrays["x"].copy(), arrays["u"].copy()
            part.take_over(native.time, x, u, native.span)
            course.held = Waveform(arrays["held"][:, None].copy()) if native.is_held else None
            spent = Effort(native.steps, native.evaluations, stiff_steps=native.stiff_steps)
            course.effort = course.effort + spent
            if native.method == _RK45:
                course.next_size = native.next_size
            part.ending = part.ending or bool(native.ending)
            held = () if live.last is None else live.last.discrete
            live.stand(native.time, Signals(outputs[self._span].copy(), None, held))
            live.ending = part.ending
        if native.left:
            inputs = np.zeros((self._member.n_in, self._member.columns))
            c.memmove(inputs.ctypes.data, self._member.inputs, 8 * inputs.size)
            course.leave(native.left_start, native.left_stop, Waveform(inputs), native.left - 1)

    def failure(self, stage: int, status: int, window: Window) -> PartFailed:
        """What went wrong inside, as it would be told from Python."""
        part, instance = self.part, self.part.instance
        try:
            if stage == _SOLVING:
                self._raise(status)
            word = "Set" if stage == _SETTING else "Get"
            real = "Float64" if instance.version == 3 else "Real"
            instance.check(status, f"{instance.prefix}{word}{real}")
        except IntegrationFailed as error:
            return part.course.failed(error)
        except CallFailed as error:
            return part.failure("integrating", error, window.start)
        raise AssertionError(f"stage {stage} with status {status} is no failure")

    def _raise(self, why: int) -> None:
        known = self._flow.known
        if why == FAILED and known.failed == NO_NUMBERS:
            raise not_finite(known.failed_at)
        if why == FAILED:
            self._flow.failed(known.failed, known.status)
        if why == _ENDLESS:
            raise not_finite(known.failed_at)
        if why == _TOO_SMALL:
            raise too_small(known.failed_at, known.end, REMEDY)
        if why == _TOO_MANY:
            raise too_many(known.failed_at, self._native.most, REMEDY)
        follower = cast(Continuing, self.part.course.follower)
        cast(Compiled, follower.solver).give_up(why)

    def _bind_integrator(self, *, moving: bool) -> Readiness:
        part, native, integrator = self.part, self._native, self.part.model.integrator
        if isinstance(integrator, FixedSize):
            native.method, native.size = _METHODS[integrator.method], integrator.size
            native.locate, native.there_at = int(integrator.locate), -inf
            return "ready"
        follower = part.course.follower
        if isinstance(integrator, Rk45 | Auto):
            return self._bind_rk45(integrator)
        if not isinstance(integrator, Cvode) or not isinstance(follower, Continuing):
            return "never"
        if follower.is_interpreted:
            return "never"
        solver = follower.natively(part.problem_of(moving=moving), part.x.size)
        if solver is None:
            return "later"
        native.method, native.most = 0, integrator.max_steps
        native.start_anew, native.tight = solver.start_anew, int(follower.is_tight)
        native.there_at, there = follower.place
        if there.size == part.x.size:
            self._arrays["there"][:] = there
        else:
            native.there_at = -inf
        return "ready"

    def _bind_rk45(self, integrator: Rk45 | Auto) -> Readiness:
        part, native = self.part, self._native
        stiff = isinstance(part.course.follower, AutoFollower) and part.course.follower.is_stiff
        if stiff:
            return "later"
        native.method, native.leaves = _RK45, int(isinstance(integrator, Auto))
        size = part.course.next_size
        native.next_size, native.there_at = nan if size is None else size, -inf
        native.rtol, native.longest = integrator.rtol, integrator.max_size
        native.most = integrator.max_steps
        weights = 1.0 if part.nominal is None else part.nominal
        self._arrays["atol"][:] = integrator.atol * weights
        return "ready"

    def _room(self, name: str, size: int) -> None:
        array = self._arrays[name] = np.zeros(size + 1)[:size]
        setattr(self._native, name, array.ctypes.data)
