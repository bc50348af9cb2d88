"""The same in Python: a system becomes a part of another one by `dv.Nested`."""

from pathlib import Path

import dovetail as dv

FOLDER = Path(__file__).parent
ITERATED = dv.GaussSeidel(max_iterations=10, inputs="ramp")

electrics = dv.Nested(
    dv.open(FOLDER / "electrics.yaml"),
    algorithm=ITERATED,
    controller=dv.FixedStep(5e-4),
    names={"speed": "winding.speed", "torque": "winding.torque"},
)
system = dv.System("motor")
system.add("electrics", electrics)
system.add("flywheel", dv.load(f"{FOLDER}/models.py:flywheel"))
system.connect("electrics.torque", "flywheel.torque")
system.connect("flywheel.speed", "electrics.speed")

if __name__ == "__main__":
    result = dv.simulate(system, stop=0.2, algorithm=ITERATED, controller=dv.FixedStep(0.005))
    print(result)
