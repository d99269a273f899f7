"""Calls a service through a proxy, with each fault of the proxy.

    PROXY=http://127.0.0.1:3001/ TOKEN=uga_… python3 tests/faults.py

It prints as JSON what came of each call, how often it was sent, and with how many keys.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import requests

from user_group_service import ApiError, UserGroupClient

proxy = os.environ["PROXY"]
told: dict[str, list[object]] = {}


def tell(name: str, fault: str, call: Callable[[UserGroupClient], object]) -> None:
    outcome: object = "done"
    # Only the call that hangs reaches its limit.
    timeout = 0.7 if fault == "hang" else 60.0
    with UserGroupClient(proxy + fault, os.environ["TOKEN"], timeout=timeout) as client:
        try:
            call(client)
        except ApiError as error:
            outcome = [error.status, error.code, str(error)]
    attempts = requests.get(f"{proxy}none/attempts", timeout=60).json()
    keys = {attempt.get("key") for attempt in attempts}
    told[name] = [outcome, len(attempts), len(keys), attempts[0]["agent"]]


tell("empty", "empty", lambda client: client.get_workspace())
tell("html", "html", lambda client: client.get_workspace())
tell("hang", "hang", lambda client: client.get_workspace())
tell("cut", "cut", lambda client: client.get_workspace())
tell("cut export", "cut", lambda client: list(client.export_user_groups()))
tell("cut once", "cut-once", lambda client: client.get_workspace())
tell(
    "cut once, with a key",
    "cut-once",
    lambda client: client.create_schema(provided_id="x", name="X"),
)
tell("cut once, unsafe", "cut-once", lambda client: client.suspend_user_group("acme-emea"))
tell("busy once", "busy-once", lambda client: client.get_workspace())
tell("busy once, unsafe", "busy-once", lambda client: client.resume_user_group("acme-emea"))
print(json.dumps(told))
