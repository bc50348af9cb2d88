"""The table of what is supported: every line has a test, and docs/fmus.md shows just these.

python tests/conformance/test_table.py      writes the table into the page
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "fmus.md"
BEGIN, END = "<!-- features: made by tests/conformance/test_table.py -->", "<!-- end -->"


@dataclass(frozen=True)
class Feature:
    """What there is, in which versions of FMI, and which test runs it with them."""

    name: str
    versions: tuple[int, ...]
    test: str
    absent: str = "no"  # elsewhere: `no`, `-` if the standard has it not, `not tested`


ALL, NEW, OPEN = (1, 2, 3), (2, 3), "not tested"
FEATURES = (
    Feature("fixed windows; Jacobi, Gauss-Seidel", ALL, "agreement::test_a_ring_agrees"),
    Feature("iterated Gauss-Seidel, Newton, Iterative", ALL, "agreement::test_a_ring_agrees"),
    Feature("step doubling", NEW, "agreement::test_step_counts_are_those_of_the_reference"),
    Feature("gains and offsets", ALL, "agreement::test_gains_and_offsets"),
    Feature("units", ALL, "agreement::test_units_are_converted_on_the_way"),
    Feature("beside Python parts and tables", ALL, "agreement::test_beside_python_parts"),
    Feature("native kernel, same bits", ALL, "agreement::test_with_and_without_the_kernel"),
    Feature("threads, same bits", ALL, "lifetimes::test_threads_change_no_bit"),
    Feature("derivatives of inputs", (1, 2), "agreement::test_input_derivatives", "-"),
    Feature(
        "inputs along curves inside a step", (3,), "intermediate::test_a_straight_line_is", "-"
    ),
    Feature("values inside a step, recorded", (3,), "reports::test_values_inside_steps", "-"),
    Feature("linearization", NEW, "linearization::test_matrices_are_those", "-"),
    Feature("adjoint derivatives", (3,), "adjoint::test_a_part_with_more_inputs", "-"),
    Feature("parameters and start values", ALL, "agreement::test_one_part_agrees"),
    Feature("tunable parameters, connected", NEW, "tunable::test_a_scheduled_change", "-"),
    Feature("tunable parameters, set by hand", NEW, "tunable::test_a_change_by_hand", "-"),
    Feature("integers, booleans, strings, enumerations", NEW, "values::test_every_type", OPEN),
    Feature("Float32, sized integers, binaries", (3,), "values::test_every_type", "-"),
    Feature("arrays, structural parameters", (3,), "values::test_arrays_have_the_size", "-"),
    Feature("negated aliases", (1,), "values::test_fmi_1_negated_aliases", "-"),
    Feature("checkpoints", NEW, "states::test_a_resumed_run_is_the_same", "-"),
    Feature("event mode", (3,), "events::test_a_ball_bounces_at_the_right_times", "-"),
    Feature("early return", (3,), "events::test_an_early_return_without_event_mode", "-"),
    Feature("discarded steps as events", (2,), "events::test_a_discarded_step_is_an_event", "-"),
    Feature("model exchange", ALL, "model_exchange::test_van_der_pol_is_solved"),
    Feature("its state and time events", ALL, "model_exchange::test_a_ball_bounces"),
    Feature("its slopes, for cubic inputs", NEW, "exchange_slopes::test_cubic_inputs", OPEN),
    Feature("its sizes by structural parameters", (3,), "changing_sizes::test_structural", "-"),
    Feature("its iteration, step doubling, checkpoints", NEW, "model_exchange::test_step_doubling"),
    Feature("merged into one set of equations", NEW, "merged_fmus::test_merged_fmus", OPEN),
    Feature("clocks of every kind", (3,), "events::test_clocks_of_every_kind_tick", "-"),
    Feature("scheduled execution", (3,), "events::test_triggered_clocks_travel", "-"),
    Feature("steps in the background", (2,), "misbehaving::test_a_step_in_the_background", "-"),
    Feature(
        "Error and Discard, overcome by going back", NEW, "misbehaving::test_error_is_overcome"
    ),
    Feature(
        "Fatal: nothing is called any more", NEW, "misbehaving::test_nothing_is_called_after", OPEN
    ),
    Feature("messages of the FMU in errors", NEW, "misbehaving::test_error", OPEN),
    Feature("a library of another name", ALL, "misbehaving::test_a_library_of_another_name"),
    Feature(
        "functions that may be missing, missing", NEW, "misbehaving::test_a_binary_with_the", OPEN
    ),
    Feature("compiled from sources", NEW, "misbehaving::test_sources_are_compiled", OPEN),
    Feature("only once in a process", NEW, "misbehaving::test_only_once_per_process", OPEN),
)


def table() -> str:
    lines = ["| | FMI 1.0 | FMI 2.0 | FMI 3.0 |", "| --- | --- | --- | --- |"]
    for f in FEATURES:
        cells = ["yes" if v in f.versions else f.absent for v in ALL]
        lines.append(f"| {f.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cut(page: str) -> tuple[str, str, str]:
    """The page before the table, the table, the page behind it."""
    before, _, rest = page.partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside.strip(), after


@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f.name)
def test_every_line_has_a_test(feature):
    module, _, name = feature.test.partition("::")
    tree = ast.parse((HERE / f"test_{module}.py").read_text(encoding="utf-8"))
    assert any(isinstance(n, ast.FunctionDef) and n.name.startswith(name) for n in tree.body)


def test_the_page_shows_this_table():
    found = cut(PAGE.read_text(encoding="utf-8"))[1]
    assert found == table(), "run python tests/conformance/test_table.py"


if __name__ == "__main__":
    start, _, rest = cut(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(f"{start}{BEGIN}\n\n{table()}\n\n{END}{rest}", encoding="utf-8")
