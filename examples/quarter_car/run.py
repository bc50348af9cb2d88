"""A table as a part: how hard does the road hit?"""

from pathlib import Path

import dovetail as dv

system = dv.open(Path(__file__).with_name("quarter_car.yaml"))

if __name__ == "__main__":
    result = dv.simulate(system, stop=2.0, algorithm=dv.Iterative(), controller=dv.FixedStep(0.005))
    print(f"The body is shaken by {abs(result['body.a']).max():.1f} m/s2 at most.")
