"""JSON in which nothing is altered on the way: what cannot be said exactly is an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn


def parse(content: bytes) -> Any:
    """Reads JSON. Integers are exact.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 at byte {error.start}"
    except json.JSONDecodeError as error:
        reason = f"it is not JSON: {error.msg} at character {error.pos}"
    # Not those errors themselves: they carry what was read, and tokens with it.
    raise ValueError(reason)


def write(value: object) -> bytes:
    """Writes JSON.

    Raises:
        TypeError: A key is not a text, or a value is of a type that JSON does not have.
        ValueError: A number is infinite or not a number, or a text has half a character.
    """
    text = json.dumps(
        _plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        pass
    # Not that error itself: it carries what was to be written, and tokens with it.
    raise ValueError("a text has half of a surrogate pair")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _plain(value: object) -> object:
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not a type of JSON")


def _key(key: object) -> str:
    # The standard library would write 1 as "1", and merge it with a "1" that is there already.
    if isinstance(key, str):
        return key
    raise TypeError(f"a key of a JSON object is a str, not {type(key).__name__}")
