"""``python -m seq2see`` is the command line."""

import sys

from seq2see.cli import main

if __name__ == "__main__":
    sys.exit(main())
