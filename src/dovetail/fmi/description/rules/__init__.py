"""A description against the rules of the standard, beyond what is needed to run it.

Each rule is a function of the description that reports every breach. What reading already had
to put up with is a breach too.
"""

from ...archive.archive import Archive
from ..fmu import FmuDescription
from . import clocked, files, structure, variables, whole
from .rule import Rule, Violation

RULES: tuple[Rule, ...] = (*variables.RULES, *clocked.RULES, *structure.RULES, *whole.RULES)

__all__ = ["RULES", "Rule", "Violation", "check"]


def check(fmu: FmuDescription, archive: Archive | None = None) -> list[Violation]:
    """Every breach of every rule, in the order of the file."""
    found = [
        Violation(
            "error" if deviation.forbidden else "warning",
            case.line,
            "readable",
            f"{deviation.what}: {case.name}".rstrip(": "),
        )
        for deviation in fmu.deviations
        for case in deviation.cases
    ]
    for rule in RULES:
        found += rule.findings(fmu)
    if archive is not None:
        found += files.findings(fmu, archive)
    return sorted(found, key=lambda finding: finding.line)
