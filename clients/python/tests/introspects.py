"""An introspector that another process asks, a line of JSON for each question and each answer.

    BASE=http://127.0.0.1:3000 TOKEN=uga_… python3 tests/introspects.py

It also prints its state whenever that changes. It reports views.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from user_group_service import ApiError, CachedIntrospector

_printing = threading.Lock()
over = threading.Event()


def tell(line: dict[str, Any]) -> None:
    with _printing:
        print(json.dumps(line), flush=True)


introspector = CachedIntrospector(
    os.environ["BASE"],
    os.environ["TOKEN"],
    on_stream_error=lambda error: tell({"stream_error": str(error)}),
    report_views=True,
)


def state() -> dict[str, Any]:
    counts = introspector.counts
    told = {"remembered": counts.remembered, "asked": counts.asked}
    return {"is_current": introspector.is_current, "counts": told}


def answer(question: dict[str, Any]) -> None:
    told: dict[str, Any] = {"id": question["id"]}
    try:
        for _ in range(question.get("times", 1)):
            told["answer"] = introspector.introspect(question["token"])
    except ApiError as error:
        told["error"] = {
            "status": error.status,
            "code": error.code,
            "detail": error.detail,
            # The time of the service was up, and not that of this process.
            "is_late": error.status is None and "connection failed" not in error.detail,
        }
    tell({**told, "state": state()})


def watch() -> None:
    known = None
    while not over.wait(0.005):
        now = state()
        if now != known:
            known = now
            tell({"state": now})


threading.Thread(target=watch, daemon=True).start()
for line in sys.stdin:
    threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
over.set()
introspector.close()
# No thread may print while the interpreter ends.
with _printing:
    sys.stdout.flush()
    os._exit(0)
