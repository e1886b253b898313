#!/usr/bin/env python
"""`uv run manage.py up` starts everything; every other command finds or starts the services it needs."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from memoryapp.command_services import services_for
from memoryapp.embedded_home import EmbeddedError


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    try:
        with services_for(sys.argv):
            execute_from_command_line(sys.argv)
    except EmbeddedError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
