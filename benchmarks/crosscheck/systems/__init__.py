"""Systems that other people drew, each run in a process of its own and compared.

SSPs, configurations of the Open Simulation Platform, multi-models of Maestro and projects of
MasterSim: beside the results that lie next to them, else beside a plain loop over FMPy.
"""
