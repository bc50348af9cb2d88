"""`python -m dovetail.cli` is the command line, too."""

import sys

from .starting import main

sys.exit(main())
