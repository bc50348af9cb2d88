"""The table of what is supported: every line has a test, and docs/fmus.md shows just these.

python tests/conformance/test_table.py      writes the table into the page
"""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "fmus.md"
BEGIN, END = "<!-- features: made by tests/conformance/test_table.py -->", "<!-- end -->"


@dataclass(frozen=True)
class Feature:
    """What there is, and which test runs it: those versions of FMI are told that it runs with.

    Where a test takes part of a feature only (strings, but no binaries), `only` says with which;
    where a fixture chooses the FMU, `stated` does.
    """

    name: str
    test: str
    absent: str = "no"  # in other versions: `no`, `-` if the standard has it not, `not tested`
    only: tuple[int, ...] | None = None
    stated: tuple[int, ...] = ()

    @property
    def versions(self) -> set[int]:
        """The versions that its tests build FMUs for."""
        module, _, name = self.test.partition("::")
        home = import_module(f"conformance.test_{module}")
        tests = [value for key, value in vars(home).items() if key.startswith(name)]
        assert tests, f"there is no test {self.test}"
        found = {version for test in tests for version in _versions(test)} or set(self.stated)
        return found if self.only is None else found & set(self.only)


def _versions(test: Any) -> set[int]:
    """Those it is parametrized with; else those it names where it asks for an FMU."""
    marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
    found = set()
    for mark in marks:
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else list(mark.args[0])
        if "version" in names:
            rows = [getattr(row, "values", row) for row in mark.args[1]]
            place = names.index("version")
            found |= {row if isinstance(row, int) else row[place] for row in rows}
    if found:
        return found
    calls = [n for n in ast.walk(ast.parse(inspect.getsource(test))) if isinstance(n, ast.Call)]
    makers = [n for n in calls if getattr(n.func, "id", "") in ("fmu", "archive", "build")]
    return {n.args[1].value for n in makers if isinstance(n.args[1], ast.Constant)}


ALL, OPEN = (1, 2, 3), "not tested"
FEATURES = (
    Feature("fixed windows; Jacobi, Gauss-Seidel", "agreement::test_a_ring_agrees"),
    Feature("iterated Gauss-Seidel, Newton, Iterative", "agreement::test_a_ring_agrees"),
    Feature("step doubling", "agreement::test_step_counts_are_those_of_the_reference"),
    Feature("gains and offsets", "agreement::test_gains_and_offsets"),
    Feature("units", "agreement::test_units_are_converted_on_the_way"),
    Feature("beside Python parts and tables", "agreement::test_beside_python_parts"),
    Feature("native kernel, same bits", "agreement::test_with_and_without_the_kernel"),
    Feature("threads, same bits", "lifetimes::test_threads_change_no_bit"),
    Feature("derivatives of inputs", "agreement::test_input_derivatives", "-"),
    Feature("inputs along curves inside a step", "intermediate::test_a_straight_line_is", "-"),
    Feature("values inside a step, recorded", "reports::test_values_inside_steps", "-"),
    Feature("linearization", "linearization::test_matrices_are_those", "-"),
    Feature("adjoint derivatives", "adjoint::test_a_part_with_more_inputs", "-"),
    Feature("parameters and start values", "agreement::test_one_part_agrees"),
    Feature("tunable parameters, connected", "tunable::test_a_scheduled", "-", stated=(2, 3)),
    Feature("tunable parameters, set by hand", "tunable::test_a_change_by", "-", stated=(2, 3)),
    Feature("integers, booleans, strings, enumerations", "values::test_every_type", OPEN),
    Feature("Float32, sized integers, binaries", "values::test_every_type", "-", only=(3,)),
    Feature("arrays, structural parameters", "values::test_arrays_have_the_size", "-"),
    Feature("negated aliases", "values::test_fmi_1_negated_aliases", "-"),
    Feature("other names in drawings", "values::test_other_names_of_variables", "-", stated=(3,)),
    Feature("checkpoints", "states::test_a_resumed_run_is_the_same", "-"),
    Feature("event mode", "events::test_a_ball_bounces_at_the_right_times", "-"),
    Feature("early return", "events::test_an_early_return_without_event_mode", "-"),
    Feature("discarded steps as events", "events::test_a_discarded_step_is_an_event", "-"),
    Feature("model exchange", "model_exchange::test_van_der_pol_is_solved"),
    Feature("its state and time events", "model_exchange::test_a_ball_bounces"),
    Feature(
        "its output derivatives, for cubic inputs", "exchange_derivatives::test_cubic_inputs", OPEN
    ),
    Feature("its sizes by structural parameters", "changing_sizes::test_structural", "-"),
    Feature("its iteration, step doubling, checkpoints", "model_exchange::test_step_doubling"),
    Feature("merged into one set of equations", "merged_fmus::test_merged_fmus", OPEN),
    Feature("clocks of every kind", "events::test_clocks_of_every_kind_tick", "-", stated=(3,)),
    Feature("scheduled execution", "events::test_triggered_clocks_travel", "-", stated=(3,)),
    Feature("steps in the background", "misbehaving::test_a_step_in_the_background", "-"),
    Feature("Error and Discard, overcome by rollback", "misbehaving::test_error_is_overcome"),
    Feature("Fatal: nothing is called any more", "misbehaving::test_nothing_is_called_after", OPEN),
    Feature("messages of the FMU in errors", "misbehaving::test_error", OPEN),
    Feature("a library of another name", "misbehaving::test_a_library_of_another_name"),
    Feature("functions that may be missing, missing", "misbehaving::test_a_binary_with_the", OPEN),
    Feature("compiled from sources", "misbehaving::test_sources_are_compiled", "-"),
    Feature(
        "only once in a process",
        "own_libraries::test_one_that_may_live_once",
        OPEN,
    ),
)


def table() -> str:
    lines = ["| | FMI 1.0 | FMI 2.0 | FMI 3.0 |", "| --- | --- | --- | --- |"]
    for f in FEATURES:
        tested = f.versions
        cells = ["yes" if v in tested else f.absent for v in ALL]
        lines.append(f"| {f.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cut(page: str) -> tuple[str, str, str]:
    """The page before the table, the table, the page behind it."""
    before, _, rest = page.partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside.strip(), after


@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f.name)
def test_every_line_has_a_test_with_every_version_it_says(feature):
    assert feature.versions
    assert feature.versions <= set(ALL)


def test_the_page_shows_this_table():
    found = cut(PAGE.read_text(encoding="utf-8"))[1]
    assert found == table(), "run python tests/conformance/test_table.py"


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    start, _, rest = cut(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(f"{start}{BEGIN}\n\n{table()}\n\n{END}{rest}", encoding="utf-8")
