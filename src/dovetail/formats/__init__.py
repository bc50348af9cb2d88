"""Models and systems in files.

`load` brings a model, `open` a system with its run settings; `read` is the same with more to say,
`write` what `System.save` calls.
"""

from ..drawing.run_settings import RunSettings
from .loading import load
from .opening import open, read
from .referred_model import ReferredModel
from .writing import write

__all__ = ["ReferredModel", "RunSettings", "load", "open", "read", "write"]
