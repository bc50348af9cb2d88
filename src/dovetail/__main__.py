"""`python -m dovetail` is the command line."""

import sys

from .cli.starting import main

sys.exit(main())
