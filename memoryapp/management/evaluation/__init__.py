"""Measuring the service on case files. Each subcommand of `manage.py evaluate` is one module of this package.

A module offers `HELP`, `add_arguments(parser)` and `run(options, stdout)`.
"""
