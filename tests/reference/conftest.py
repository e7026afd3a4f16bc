"""What is said here holds for every engine."""

from tests.both_engines import engine

__all__ = ["engine"]
