"""FMUs from C sources, and one system in three formats: YAML, SSP and MasterSim's.

It builds the FMUs, runs each file as it says itself, and shows that the numbers are the same.
"""

import build
import dovetail as dv

FILES = ("drive.yaml", "drive.ssd", "drive.msim")

if __name__ == "__main__":
    for model in build.MODELS:
        build.build(model)
    runs = {name: dv.simulate(build.HERE / name, quiet=True) for name in FILES}
    first = runs["drive.yaml"]
    for name, result in runs.items():
        apart = dv.compare(first, result).worst.error
        dip = 100.0 - result["motor.speed"][result.time > 1.0].min()
        print(f"{name:11} the load costs {dip:.2f} rad/s; {apart:.1e} from the first")
    ssp = build.HERE / "resources/drive.ssp"
    dv.open(build.HERE / "drive.ssd").save(ssp)
    packed = dv.simulate(ssp, values={"governor.ki": 2.0}, quiet=True)
    dip = 100.0 - packed["motor.speed"][packed.time > 1.0].min()
    print(f"drive.ssp   with twice the integral gain {dip:.2f} rad/s")
