"""A mass in plain C, which dials in, on a spring in Python.

python run.py
"""

import socket
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import dovetail as dv

SOURCE = Path(__file__).with_name("mass.c")
ADDRESS = "127.0.0.1"


def main() -> None:
    warnings.filterwarnings("ignore", message="waiting")  # it takes a moment
    with socket.create_server((ADDRESS, 0)) as free:
        port = str(free.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "mass"
        subprocess.run(["gcc", "-O2", "-o", program, SOURCE], check=True)
        process = subprocess.Popen([program, ADDRESS, port])
        try:
            system = dv.System("oscillator")
            system.add("mass", dv.load(f"dovetail://{ADDRESS}:{port}/mass", listen=True), x0=0.5)
            system.add(
                "spring",
                dv.Algebraic(
                    inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x]
                ),
            )
            system.connect("mass.x", "spring.x")
            system.connect("spring.force", "mass.force")
            print(dv.simulate(system, stop=5.0, step=0.01, algorithm="gauss_seidel(5)"))
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
