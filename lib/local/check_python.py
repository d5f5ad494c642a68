"""Prints the version of this interpreter, and whether it can make virtual environments."""
import sys
print('%d.%d' % sys.version_info[:2])
try:
    import venv, ensurepip
    print('venv')
except ImportError:
    print('no venv')
