"""`python -m dovetail.cli` is the command line, too."""

import sys

from .main import main

sys.exit(main())
