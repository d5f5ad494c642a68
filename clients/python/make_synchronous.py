"""Prints the files of the synchronous client as JSON, made of the asynchronous ones. Part of `npm run clients:generate`.

Its standard input is the text of generated/async_resources.py.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

import unasync

OTHERS = {"AsyncPages": "Page", "aclose": "close", "aiter_bytes": "iter_bytes"}

hand_written = Path(__file__).parent / "src/messaging_gateway/asynchronous"
sources = {path.name: path.read_text() for path in hand_written.glob("*.py") if path.name != "__init__.py"}
sources["resources.py"] = sys.stdin.read()
names = set(re.findall(r"\b(?:Async|async_)\w+", "".join(sources.values())))
# Without these, unasync makes SyncPage of AsyncPage.
replacements = {**{name: re.sub("^(Async|async_)", "", name) for name in names}, **OTHERS}

with tempfile.TemporaryDirectory() as folder:
    before, after = Path(folder) / "before", Path(folder) / "after"
    before.mkdir()
    for name, text in sources.items():
        (before / name).write_text(text)
    rule = unasync.Rule(f"{before}/", f"{after}/", additional_replacements=replacements)
    unasync.unasync_files([str(before / name) for name in sources], [rule])
    print(json.dumps({name: (after / name).read_text() for name in sorted(sources)}))
