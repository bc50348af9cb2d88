"""Counts in the files that MasterSim writes are MasterSim's, not ours."""

from dovetail.core.statistics import Statistics
from dovetail.results.files.mastersim import MasterCounts

# Its control loop with step doubling, run with its own FMUs: Dovetail counts these, and MasterSim,
# with the clock of its rollbacks put right, 275 steps, 27 convergence failures, all 27 at the
# limit of iterations, and 77 failed error tests.
CONTROL_LOOP = Statistics(
    windows=275,
    rejected_by_convergence=27,
    iteration_limit_reached=21,  # windows below hFallBackLimit, which do not iterate
    rejected_by_error=68,
    beyond_tolerance=9,  # windows of hMin, accepted
)


def test_windows_that_stand_beyond_the_tolerance_failed_their_test():
    counts = MasterCounts.of(CONTROL_LOOP, retries=True)
    assert (counts.steps, counts.error_fails) == (275, 77)
    assert (counts.convergence_fails, counts.limit_exceeded) == (27, 27)


def test_at_a_fixed_step_the_limit_is_reached_by_windows_that_stand():
    """Its control loop with two iterations and windows of one size: 95 of 1000."""
    fixed = Statistics(windows=1000, iteration_limit_reached=95)
    assert MasterCounts.of(fixed, retries=False).limit_exceeded == 95
