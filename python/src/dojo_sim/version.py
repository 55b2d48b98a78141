"""The version, which the engine must have too."""

__version__ = "0.1.0"
