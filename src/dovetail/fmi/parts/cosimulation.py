"""A co-simulation FMU as a subsystem."""
# Over 250 lines: one kind of part, with every call of it.

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import codec
from ...core.errors import PartFailed
from ...core.signals import Signals, Vector, Waveform
from ...core.values import Values
from ...core.window import Window
from ...subsystems.intermediate import IntermediateReport
from ...subsystems.subsystem import Linearization, Reached
from ..calls.instance import CallFailed
from .lending import LentState, Undisturbed
from .linearization import Linearizer
from .part import FmuPart, named
from .reporting import Reporter
from .step_inputs import StepInputs

if TYPE_CHECKING:
    from ..model import Fmu


class CoSimulation(FmuPart):
    """One live co-simulation FMU.

    Values are set where the standard allows it: structural parameters in configuration mode,
    parameters and start values before initialization, inputs during it and before each step.
    In step mode outputs are read after a step only.
    """

    checks_rollback = True

    def __init__(self, name: str, model: Fmu) -> None:
        super().__init__(name, model, model.new_instance(name))
        self._reporter: Reporter | None = None
        if model.reported:
            self._reporter = Reporter(self.instance, model, model.reported)
        self._step_inputs = StepInputs(self, model, self._reporter)
        self._inputs = self._step_inputs.channels
        self._derivatives = False
        self._ended_with = np.zeros(0)  # the real inputs where it stands
        self._tried: Signals | None = None  # inputs of the search for start values
        self._linearizer: Linearizer | None = None

    @named("starting")
    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Instantiate, set what was given, enter initialization."""
        self._derivatives = derivatives and self.description.capabilities.can_tell_derivatives
        self._begin_life(start, values)

    def begin_anew(self, start: float, values: Values) -> None:
        """Another run, of the same instance: nothing is known of the last one."""
        self._time, self._start_values = start, values
        self._tried, self._ended_with = None, np.zeros(0)
        self.remarks.clear()
        self.instance.log.forget()

    def _instantiate(self) -> None:
        model = self.model
        try:
            self.instance.instantiate(model.token, model.resources, logging=model.logging is True)
        except CallFailed as error:
            if model.interface.needs_tool:
                error.outcome += "; it says that it needs the program it was exported from"
            elif model.uses_event_mode:
                error.outcome += "; dv.load(..., events=False) runs it without event mode"
            raise

    @named("giving its outputs")
    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs for these inputs, while the search for start values goes on."""
        if self.instance.running and self.instance.version > 1:
            raise RuntimeError("a co-simulation FMU must step before its outputs are asked")
        if order:
            raise NotImplementedError("a co-simulation FMU gives no derivatives before a step")
        if self._tried is None or not inputs.equals(self._tried):  # FMI 1 need not read them back
            self._step_inputs.write(inputs.reals, inputs.discrete)
        self._ended_with, self._tried = inputs.reals, inputs
        return self._read()

    @named("starting")
    def begin(self) -> None:
        """Leave initialization."""
        self._leave_initialization()

    @named("starting")
    def late_outputs(self) -> Signals | None:
        """Outputs as they are now: some FMUs work them out when they leave initialization."""
        return None if self.instance.version == 1 else self._got()

    @named("stepping")
    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Set the inputs, step, read the outputs."""
        return self._stepped(window, inputs)

    def _stepped(self, window: Window, inputs: Waveform) -> Reached:
        a, self._time = inputs.coefficients, window.start
        self._step_inputs.write(a[:, 0], inputs.discrete)
        self._step_inputs.write_curves(window, inputs)
        before = self.instance.snapshot() if self.model.redoes_steps else None
        stepped = self.instance.step(window.start, window.size)
        self._step_inputs.end(window.start, stepped.time)
        complete = stepped.time >= window.start + window.size * (1 - 1e-9)
        self._ended_with = inputs.reals(window.size if complete else stepped.time - window.start)
        if complete:
            return Reached(window.stop, self._read(), ending=stepped.terminate)
        forward = stepped.time > window.start and not stepped.terminate
        if before is not None and forward:
            self.instance.restore(before)
            return self._redone(Window.between(window.start, stepped.time), inputs)
        if self.model.may_stop_early and forward:
            return Reached(stepped.time, self._read(), event=stepped.event)
        reason = self.stopped_early(stepped.time, terminate=stepped.terminate)
        raise PartFailed(self.name, "stepping", window.start, reason)

    def _redone(self, window: Window, inputs: Waveform) -> Reached:
        """Once more, up to where a discarded step succeeded last: there an event is due."""
        reached = self._stepped(window, inputs)
        return Reached(reached.time, reached.outputs, True, reached.ending)

    @named("linearizing")
    def linearize(self) -> Linearization:
        """The linearization where the last step ended, from the derivatives it gives."""
        return self._linearized().at(self._ended_with)

    @named("linearizing")
    def relinearize(self, known: Linearization) -> Linearization:
        """Where the last step ended, with the matrices of an earlier linearization."""
        return self._linearized().at(self._ended_with, known)

    def _linearized(self) -> Linearizer:
        if self._linearizer is None:
            m = self.model
            facts = m.fmu, m.interface, m.inputs, m.outputs, m.size_of
            self._linearizer = Linearizer(self.instance, *facts)
        return self._linearizer

    @named("saving its state")
    def snapshot(self) -> tuple[Any, ...]:
        """A handle on the present state."""
        self._settle()
        self.try_state()
        shown = None if self._reporter is None else self._reporter.kept
        stands = self.instance.snapshot(), self._ended_with, shown
        return *stands, self._step_inputs.memory(), self._memory()

    def doubt_rollback(self, found: str) -> None:
        """From now on this FMU counts as one that cannot roll back, in later runs as well."""
        self.model.doubt_rollback(found)

    @named("rolling back")
    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Return to a state taken earlier."""
        self._settle()
        state, self._ended_with, shown, tuned, memory = snapshot
        self.instance.restore(state)
        self._step_inputs.recall(tuned)
        if self._reporter is not None:
            self._reporter.kept = shown
        self._remember(memory)

    @named("writing its state")
    def dump(self) -> bytes:
        """The present state as bytes."""
        self._settle()
        shown = None if self._reporter is None else self._reporter.rows
        stands = self.instance.dump(), self._ended_with, shown
        return codec.encode((*stands, self._step_inputs.memory(), self._memory()))

    @named("reading its state")
    def load(self, state: bytes) -> None:
        """Take over a state that was dumped."""
        self._settle()
        data, self._ended_with, shown, tuned, memory = codec.decode(state)
        self.instance.load(data)
        self._step_inputs.recall(tuned)
        if self._reporter is not None and shown is not None:
            self._reporter.take(shown)
        self._remember(memory)

    def _settle(self) -> None:
        """Where states can be saved and brought back; there are modes where they cannot."""

    def tune(self, values: Values) -> None:
        """Go on with these parameters, from the next step on."""
        self._step_inputs.change(values)

    @property
    def tuned_memory(self) -> Vector | None:
        """What it has of connected parameters, and behind it 1 if any; None without such."""
        return None if self._step_inputs.tuner is None else self._step_inputs.tuner.memory

    def stand(self, time: float, inputs: Vector) -> None:
        """Native windows have led it there, with these inputs in the end."""
        self._time, self._ended_with = time, inputs

    @named("saving its state")
    def lend(self) -> LentState | None:
        """Let native windows have it where it stands, if nothing is due."""
        self._settle()
        self.try_state()
        return LentState(None, inf, ())

    def take_back(self, ran: Undisturbed) -> bool:
        """Have it again, behind windows in which nothing has happened; whether it asks to end."""
        self._time, self._ended_with = ran.began, ran.ended_with
        self.instance.time = ran.time
        return False

    @named("changing its parameters")
    def hand_over(self) -> None:
        """Set them at once: the next step is made elsewhere."""
        self._step_inputs.write_changes()

    @property
    def follows_curves(self) -> bool:
        """Whether it asks for its inputs inside a step."""
        return self.model.follows_curves

    @property
    def reports(self) -> dict[str, IntermediateReport]:
        """What it showed inside its steps, if that was asked for."""
        return {} if self._reporter is None else {"": self._reporter.report}

    def stopped_early(self, time: float, *, terminate: bool) -> str:
        """Why an early end of a step is a failure."""
        if terminate:
            return self._explained(f"the FMU asked to stop the simulation at t = {time:g} s")
        what = f"the FMU ended the step early, at t = {time:g} s"
        hint = "a smaller window may help"
        if self.model.fmu.version == "2.0" and self.description.capabilities.can_restore:
            hint += ", or dv.load(..., events=True), which takes it for an event"
        return self._explained(f"{what}; {hint}")

    def _explained(self, what: str) -> str:
        """A reason, with what the FMU logged last."""
        logged = [m for m in self.instance.log.take() if not m.startswith("[OK")][-3:]
        return what + (f"; the FMU logged: {' | '.join(logged)}" if logged else "")

    def _knows_derivatives(self) -> bool:
        """Whether derivatives of outputs may be asked for now."""
        return self.instance.running

    def _read(self) -> Signals:
        outputs, derivatives = self._got(), None
        if self._derivatives and self._knows_derivatives():
            derivatives = np.zeros(outputs.reals.size)
            for channel in self._outputs:
                if channel.kind == "Float64":
                    found = self.instance.output_derivatives(channel.references)
                    derivatives[channel.places] = found
        return Signals(outputs.reals, derivatives, outputs.discrete)
