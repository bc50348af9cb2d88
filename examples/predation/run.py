"""The same from Python: open the drawing, change what you like, run it, use the numbers."""

from pathlib import Path

import dovetail as dv

system = dv.open(Path(__file__).with_name("predation.yaml"))

if __name__ == "__main__":
    result = dv.simulate(
        system,
        stop=20.0,
        algorithm=dv.GaussSeidel(max_iterations=20, inputs="ramp"),
        controller=dv.FixedStep(0.05),
    )
    print(result)
    print(result.verdict)
