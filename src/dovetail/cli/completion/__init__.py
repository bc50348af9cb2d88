"""What a shell is offered when somebody presses the tabulator key.

Files are looked at, never run: no Python file of a user is executed, no binary of an FMU loaded.
Whatever goes wrong is silent.
"""
