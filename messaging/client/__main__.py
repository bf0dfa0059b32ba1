"""``python -m messaging.client``."""

from __future__ import annotations

import sys

from messaging.client.main import main

if __name__ == "__main__":
    sys.exit(main())
