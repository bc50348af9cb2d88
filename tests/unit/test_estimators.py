"""What is particular to estimates: their mathematics, their memory, what they cost."""

from dataclasses import replace
from math import factorial

import numpy as np
import problems
import pytest
from costarica_cases import Estimable, bodies, pair, populations
from scipy.linalg import expm

import dovetail as dv
from dovetail import formats
from dovetail.assembly.draft import Draft, Proposal
from dovetail.core.errors import CannotRollBack
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.estimators.choice import Needs
from dovetail.estimators.least_squares import LeastSquares
from dovetail.estimators.phi import phi_rows
from dovetail.subsystems.live import Live
from dovetail.subsystems.sampling import substeps

RNG = np.random.default_rng(5)
MATRICES = {
    "one": np.array([[-0.7]]),
    "zero": np.zeros((3, 3)),
    "nilpotent": 5 * np.diag([1.0, 1.0, 1.0], 1),
    "stiff": np.array([[-1e6, 1e3], [1.0, -2.0]]),
    "slow beside stiff": np.diag([-1e6, -1.0]),
    "oscillating": np.array([[0.0, 50.0], [-50.0, 0.0]]),
    "badly scaled": 1e-3 * np.array([[0.0, 1.0], [-1e8, -10.0]]),
    "growing": np.array([[3.0]]),
    "random": RNG.normal(size=(30, 30)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_phi_functions(name):
    """Against the exponential of the block matrix that holds them all, and the recurrence."""
    z = MATRICES[name]
    n, count = len(z), 4
    C = RNG.normal(size=(2, n))
    found = phi_rows(C, z, count)
    block = np.zeros((n * (count + 1),) * 2)
    block[:n, :n] = z
    for k in range(count):
        block[k * n : (k + 1) * n, (k + 1) * n : (k + 2) * n] = np.eye(n)
    E = expm(block)
    for k, row in enumerate(found):
        expected = C @ E[:n, k * n : (k + 1) * n]
        scale = max(np.max(np.abs(expected)), 1e-300)
        assert row == pytest.approx(expected, abs=2e-11 * scale)  # expm loses more than we do
        if k:  # z phi_k = phi_{k-1} - 1 / (k - 1)!
            lower = found[k - 1] - C / factorial(k - 1)
            size = np.max(np.abs(row)) * np.max(np.sum(np.abs(z), axis=0)) + np.max(np.abs(C))
            assert row @ z == pytest.approx(lower, abs=1e-13 * size)


def test_slow_modes_of_a_stiff_matrix_keep_their_digits():
    rows = phi_rows(np.eye(2), np.diag([-1e6, -1.0]), 2)
    assert rows[0][1, 1] == pytest.approx(np.exp(-1), rel=1e-15)
    assert rows[1][1, 1] == pytest.approx(1 - np.exp(-1), rel=1e-15)
    assert rows[1][0, 0] == pytest.approx(1e-6, rel=1e-15)


def live(model, derivatives=False, u=0.7):
    part = Live("part", model.instantiate("part"))
    part.initialize(0.0, {}, derivatives=derivatives)
    part.outputs(Signals(np.full(len(model.description.inputs), u)))
    part.begin()
    return part


def lag():
    return problems.Linear(("u",), ("x",), A=[[-1]], B=[[2]], C=[[1]], D=0, x=(1.0,))


CUBIC = Waveform(np.array([[0.3, -0.2, 0.5, 0.1]]))


@pytest.mark.parametrize("estimator", [dv.Costarica(), dv.Rollback(predict=True)], ids=repr)
def test_a_linear_part_is_foretold_exactly(estimator):
    part = live(lag(), derivatives=True)
    rehearsal = estimator.bind(part)
    rehearsal.open(Window.between(0.0, 0.4))
    predicted = rehearsal.response(4).at(CUBIC)
    genuine = rehearsal.commit(CUBIC).outputs
    assert predicted.reals == pytest.approx(genuine.reals, rel=1e-14)
    assert predicted.derivatives == pytest.approx(genuine.derivatives, rel=1e-13)
    assert rehearsal.assessment.defect == pytest.approx([0.0], abs=1e-14)
    assert part.evaluations == 1


def test_the_exponential_is_kept_while_neither_matrices_nor_size_change():
    rehearsal = dv.Costarica().bind(live(lag()))
    hold = Waveform.hold(Signals(np.array([0.3])))
    for k in range(5):
        rehearsal.open(Window(0.1 * k, 0.1, 0.1 * (k + 1)))
        rehearsal.outputs(hold)
        rehearsal.outputs(Waveform.hold(Signals(np.array([0.5]))))
        rehearsal.commit(hold)
    assert rehearsal.forecast.computed == 1
    rehearsal.open(Window(0.5, 0.2, 0.7))
    rehearsal.outputs(hold)
    assert rehearsal.forecast.computed == 2


def test_an_estimate_costs_no_step_and_leaves_no_trace():
    part = live(problems.Species(0.5, 1.0, 1.0))
    rehearsal = dv.Costarica().bind(part)
    rehearsal.open(Window.between(0.0, 0.1))
    known = rehearsal.dump()
    for value in (0.0, 1.0, 2.0):
        rehearsal.outputs(Waveform.hold(Signals(np.array([value]))))
    assert part.evaluations == 0
    assert rehearsal.dump()[0] is known[0]
    rehearsal.abandon()
    rehearsal.open(Window.between(0.0, 0.05))
    one = Waveform.hold(Signals(np.array([1.0])))
    assert rehearsal.commit(one).time == 0.05
    with pytest.raises(CannotRollBack):
        rehearsal.commit(Waveform.hold(Signals(np.array([2.0]))))


def test_a_shorter_window_is_foretold_anew():
    part = live(lag(), derivatives=True)
    rehearsal = dv.Costarica().bind(part)
    rehearsal.open(Window.between(0.0, 0.4))
    rehearsal.outputs(CUBIC)
    rehearsal.shorten(Window.between(0.0, 0.1))
    short = rehearsal.outputs(CUBIC).outputs.reals
    assert rehearsal.commit(CUBIC).outputs.reals == pytest.approx(short, rel=1e-14)


# ---- together ------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 90])
@pytest.mark.parametrize("shape", ["hold", "ramp", "hermite"])
def test_asked_together_or_one_by_one(count, shape):
    """One product for all gives what each would say; dense for few parts, sparse for many."""
    system = dv.System("ring")
    for k in range(count):
        system.add(f"p{k}", Estimable(problems.Species(-0.1 * k, 0.2, 1.0 + k)))
    for k in range(count):
        system.connect(f"p{k}.x", f"p{(k + 1) % count}.u")
    derivatives = shape == "hermite"
    algorithm = dv.Iterative(inputs=shape)
    with dv.Session(system, stop=1.0, algorithm=algorithm, quiet=True) as session:
        assembly, position = session.assembly, session._stepper.position
        attempt = assembly.attempt(
            Window.between(0.0, 0.1), position.outputs, position.coordination
        )
        begin = attempt.inputs(position.outputs)
        proposal = Proposal(assembly, begin, shape)
        proposal.coefficients[:] = RNG.normal(size=proposal.coefficients.shape)
        draft = Draft(assembly, position.outputs, position.coordination)
        attempt.ask(tuple(range(count)), proposal, draft)
        for i in range(count):
            alone = attempt.outputs_of(i, proposal.of(i))
            span = assembly.outputs_of[i].reals
            assert draft.reals[span] == pytest.approx(alone.reals, rel=1e-13)
            if derivatives:
                assert draft.derivatives[span] == pytest.approx(alone.derivatives, rel=1e-12)


# ---- runs ----------------------------------------------------------------------------------------

ALL = [dv.Costarica(), dv.Rollback(predict=True), dv.Identified(), dv.Costarica(reuse=1e-3)]


@pytest.mark.parametrize("estimator", ALL, ids=repr)
@pytest.mark.parametrize("algorithm", [dv.Ifosmondi(), dv.Missiles(inputs="ramp")], ids=repr)
def test_a_resumed_run_is_the_same_to_the_last_bit(estimator, algorithm, tmp_path):
    options = {
        "algorithm": algorithm,
        "controller": dv.FixedStep(0.1),
        "estimators": {"prey": estimator, "predator": estimator},
        "quiet": True,
    }
    whole = dv.simulate(pair(), stop=2.0, **options)
    with dv.Session(pair(), stop=2.0, **options) as session:
        for _ in range(9):
            session.advance()
        session.checkpoint(tmp_path / "run.checkpoint")
    again = dv.simulate(pair(), stop=2.0, resume=tmp_path / "run.checkpoint", **options)
    assert again.final == whole.final
    assert again.verdict == whole.verdict


@pytest.mark.parametrize("estimator", ALL[:3], ids=repr)
def test_history_goes_back_with_rejected_windows(estimator):
    """Branches of step doubling must not see what the others have learned.

    A model is learned from windows of one size; here it stays explicit.
    """
    controller = dv.StepDoubling(1e-4, 1e-4, first_size=0.01)
    estimators = {"prey": estimator, "predator": estimator}
    result = dv.simulate(
        pair(),
        stop=20.0,
        algorithm=dv.Ifosmondi(),
        controller=controller,
        estimators=estimators,
        quiet=True,
    )
    found = np.array([result["prey.x"], result["predator.x"]])
    limit = 0.2 if isinstance(estimator, dv.Identified) else 2e-3
    assert np.max(np.abs(found - populations(result.time))) < limit


def test_a_part_that_fails_to_converge_is_tried_again_without_going_back():
    """Windows that were never committed can be cut, whether or not anybody goes back."""
    system = problems.stiff_loop_system(Estimable)
    options = {"stop": 1.0, "controller": dv.FixedStep(0.01), "quiet": True}
    with pytest.raises(dv.StepFailed, match="after 50 sweeps"):
        dv.simulate(system, algorithm=dv.GaussSeidel(50), **options)
    result = dv.simulate(system, algorithm=dv.Missiles(), **options)
    assert problems.stiff_loop.error(result) < 1e-9


# ---- choices -------------------------------------------------------------------------------------


def mixed():
    """One part that goes back, one that can be linearized, one that exposes nothing."""
    system = dv.System("mixed")
    kinds = {"able": lambda m: m, "shown": Estimable, "mute": problems.Blind}
    for name, wrap in kinds.items():
        system.add(name, wrap(lag()))
    for source, target in (("able", "shown"), ("shown", "mute"), ("mute", "able")):
        system.connect(f"{source}.x", f"{target}.u", gain=-0.5)
    return system


def test_estimators_are_chosen_from_capabilities_and_told(capsys):
    result = dv.simulate(
        mixed(), stop=1.0, algorithm=dv.Iterative(), controller=dv.FixedStep(0.1), progress=False
    )
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "dovetail: 'shown': estimated by dv.Costarica(), because it cannot roll back, but can be "
        "linearized",
        "dovetail: 'mute': estimated by dv.Identified(), because it can neither roll back nor be "
        "linearized",
    ]
    made = result.statistics.evaluations_by_part
    assert made["shown"] == made["mute"] == 10 < made["able"]
    lines = str(result.verdict).splitlines()
    assert any(s.startswith("Estimates of 'shown' missed its genuine steps by") for s in lines)
    assert any(s.startswith("Estimates of 'mute', by a learned model in") for s in lines)


def test_what_is_given_is_not_announced():
    result = dv.simulate(
        mixed(),
        stop=1.0,
        algorithm=dv.Iterative(),
        controller=dv.FixedStep(0.1),
        estimators={"shown": dv.Identified(), "mute": dv.Identified(), "able": dv.Costarica()},
        quiet=True,
    )
    assert result.facts["messages"] == []
    assert set(result.statistics.evaluations_by_part.values()) == {10}


def test_estimators_that_parts_cannot_follow_are_refused():
    for estimator in (dv.Costarica(), dv.Rollback(predict=True)):
        name = type(estimator).__name__
        with pytest.raises(dv.CapabilityError, match=rf"cannot be linearized, as dv.{name}\(\)"):
            dv.simulate(mixed(), stop=1.0, estimators={"mute": estimator}, quiet=True)


def test_a_user_who_names_no_algorithm_gets_estimates_only_where_they_can_be_trusted():
    shown = problems.prey_predator_system(Estimable)
    with dv.Session(shown, stop=1.0, quiet=True) as session:
        assert session.algorithm.repeats
    blind = problems.prey_predator_system(problems.Blind)
    with dv.Session(blind, stop=1.0, quiet=True) as session:
        assert not session.algorithm.repeats


# ---- inputs that a part cannot follow ------------------------------------------------------------


@pytest.mark.parametrize("order", [0, 1])
def test_pieces_of_a_window_follow_the_polynomial(order):
    window = Window(1.0, 0.5, 1.5)
    found = list(substeps(window, CUBIC, 8, order))
    assert [w.start for w, _ in found] == pytest.approx(1.0 + np.arange(8) / 16)
    assert found[-1][0].stop == 1.5
    integral = sum(
        (a.coefficients[0] * w.size ** np.arange(1, order + 2) / np.arange(1, order + 2)).sum()
        for w, a in found
    )
    powers = np.arange(1, 5)
    exact = (CUBIC.coefficients[0] * 0.5**powers / powers).sum()
    assert integral == pytest.approx(exact, rel=1e-14 if order == 0 else 1e-2)
    assert [w for w, _ in substeps(window, CUBIC, 8, 3)] == [window]


def test_parts_that_take_no_input_derivatives_step_in_pieces():
    """Second order in the size of a piece; what a window's polynomial says is not lost."""
    errors = []
    for count in (5, 10):
        system = problems.prey_predator_system(lambda m: problems.Blind(m, input_order=0))
        estimators = dict.fromkeys(system.parts, dv.Identified(substeps=count))
        result = dv.simulate(
            system,
            stop=2.5,
            algorithm=dv.Iterative(),
            controller=dv.FixedStep(0.1),
            estimators=estimators,
            quiet=True,
        )
        errors.append(problems.prey_predator.error(result))
    explicit = problems.prey_predator.error(problems.prey_predator.run(dv.Jacobi(), 0.1))
    assert max(errors) < explicit / 2


# ---- slopes --------------------------------------------------------------------------------------


class Silent(problems.Species):
    """A species that does not tell how its outputs change."""

    linearizable = False

    @property
    def description(self):
        able = replace(problems.EXACT, can_tell_derivatives=False, can_linearize=self.linearizable)
        return replace(problems.Species.description.fget(self), capabilities=able)

    def instantiate(self, name):
        return _Silent(self)


class _Silent(problems._Species):
    def initialize(self, start, values, *, derivatives=False):
        super().initialize(start, values)


class Quiet(Silent):
    """One that can be linearized."""

    linearizable = True


def test_slopes_by_differences_cost_an_order():
    """Parts that neither tell slopes nor can be linearized: third order, not fourth."""

    errors = []
    for size in (0.1, 0.05):
        result = dv.simulate(
            pair(Silent),
            stop=5.0,
            algorithm=dv.Ifosmondi(tolerance=1e-12),
            controller=dv.FixedStep(size),
            quiet=True,
        )
        found = np.array([result["prey.x"], result["predator.x"]])
        errors.append(np.max(np.abs(found - populations(result.time))))
    assert 2.6 < np.log2(errors[0] / errors[1]) < 3.5


def test_slopes_come_from_the_linearization_where_the_part_does_not_tell_them():
    results = [
        dv.simulate(
            pair(kind), stop=2.0, algorithm=dv.Ifosmondi(), controller=dv.FixedStep(0.1), quiet=True
        )
        for kind in (problems.Species, Quiet)
    ]
    assert results[1]["prey.x"] == pytest.approx(results[0]["prey.x"], abs=1e-9)


# ---- windows sized by defects --------------------------------------------------------------------


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_defects_size_windows_without_going_back(tolerance):
    """A committed window stands, so what it misses by is kept near the tolerance beforehand."""
    worst = []
    for foresee in (True, False):
        controller = dv.Defect(tolerance, tolerance, foresee=foresee)
        system, over = pair(wrap=Estimable), 0.0
        with dv.Session(
            system, stop=20.0, algorithm=dv.Missiles(), controller=controller, quiet=True
        ) as session:
            while not session.finished:
                for segment in session.advance():
                    for found in segment.assessments.values():
                        allowed = tolerance * (1 + np.abs(found.outputs))
                        over = max(over, np.max(np.abs(found.defect) / allowed))
            result = session.result
        worst.append(over)
        if foresee:
            found = np.array([result["prey.x"], result["predator.x"]])
            assert np.max(np.abs(found - populations(result.time))) < 5 * tolerance
            assert set(result.statistics.evaluations_by_part.values()) == {
                result.statistics.windows
            }
    assert worst[0] < 4 < worst[1]


def test_cubics_size_windows_of_parts_that_are_foretold_exactly():
    result = dv.simulate(
        bodies(), stop=100.0, algorithm=dv.Ifosmondi(), controller=dv.Defect(1e-4, 1e-4), quiet=True
    )
    assert 60 < result.statistics.windows < 300


def test_needs_are_those_of_algorithm_and_controller():
    assert Needs.of(dv.Missiles(), dv.StepDoubling()) == Needs(True, True, True, "hermite")
    assert Needs.of(dv.GaussSeidel(), dv.FixedStep(1.0)) == Needs()


# ---- least squares -------------------------------------------------------------------------------


def test_least_squares_find_a_linear_map_whatever_the_units():
    M = RNG.normal(size=(2, 4)) * [1e6, 1.0, 1e-6, 3.0]
    fit = LeastSquares.empty(4, 2)
    for _ in range(12):
        x = RNG.normal(size=4) / [1e6, 1.0, 1e-6, 3.0]
        fit = fit.learned(x, M @ x, 0.98)
    assert fit.solution() == pytest.approx(M, rel=1e-7)


# ---- files ---------------------------------------------------------------------------------------


def test_estimators_are_written_and_read(tmp_path):
    (tmp_path / "models.py").write_text(
        "import dovetail as dv\n"
        "lag = dv.Dynamic(states={'x': 1.0}, inputs=['u'], outputs=['x'],\n"
        "                 derivatives=lambda t, x, u, p: [u.u - x.x])\n"
    )
    (tmp_path / "system.yaml").write_text(
        "dovetail: 1\nname: pair\nparts: {a: models.py:lag, b: models.py:lag}\n"
        "connections: [a.x -> b.u, b.x -> a.u]\n"
        "run: {stop: 1, step: 0.1, algorithm: missiles,\n"
        "      estimators: {a: costarica(reuse=1e-3), b: {identified: {trust: 0.3}}}}\n"
    )
    drawing = formats.read(tmp_path / "system.yaml")
    expected = {"a": dv.Costarica(reuse=1e-3), "b": dv.Identified(trust=0.3)}
    assert drawing.run_settings.estimators == expected
    drawing.save(tmp_path / "copy.yaml")
    assert formats.read(tmp_path / "copy.yaml").run_settings.estimators == expected
    result = dv.simulate(drawing, quiet=True)
    assert set(result.statistics.evaluations_by_part.values()) == {10}


def test_a_checkpoint_is_not_resumed_with_another_estimator(tmp_path):
    options = {"stop": 1.0, "algorithm": dv.Missiles(), "controller": dv.FixedStep(0.1)}
    estimators = dict.fromkeys(("prey", "predator"), dv.Costarica())
    with dv.Session(pair(), estimators=estimators, quiet=True, **options) as session:
        session.advance()
        session.checkpoint(tmp_path / "run.checkpoint")
    with pytest.raises(dv.OptionError, match=r"it was made with Costarica\("):
        dv.simulate(pair(), resume=tmp_path / "run.checkpoint", quiet=True, **options)
