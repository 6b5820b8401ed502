"""`python -m dlqueue run train.py`: the command, which runs scripts with this Python."""

import os
import sys

from . import main

os.environ["DLQUEUE_PYTHON"] = sys.executable
main()
