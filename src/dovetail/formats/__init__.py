"""Models and systems in files.

`load` brings a model, `open` a system, `read` a system with its run settings; `write` is what
`System.save` calls.
"""

from .drawing import Drawing, RunSettings
from .loading import load
from .opening import open, read
from .referred_model import ReferredModel
from .writing import write

__all__ = ["Drawing", "ReferredModel", "RunSettings", "load", "open", "read", "write"]
