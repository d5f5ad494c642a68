"""The version of this package; a test compares it with that of the gateway."""

VERSION = "0.1.0"
__version__ = VERSION
