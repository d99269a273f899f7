"""Reads literals as a tool does that has SQL as text: a template engine, SQLAlchemy, and the driver.

Takes `[[value, literal], …]` as JSON on its standard input, and writes how many were read, and which became another value.
"""

import json
import sys

from jinja2.sandbox import SandboxedEnvironment
from sqlalchemy import create_engine, text

templates = SandboxedEnvironment()
cases = json.load(sys.stdin)
wrong = []
with create_engine("sqlite://").connect() as connection:
    for value, literal in cases:
        rendered = templates.from_string(literal).render()
        # A colon would begin a parameter of SQLAlchemy.
        escaped = rendered.replace(":", "\\:")
        found = connection.execute(text(f"SELECT {escaped}")).scalar()
        if rendered != literal or escaped != literal or found != value:
            wrong.append(f"{value!r} became {found!r}")
json.dump({"read": len(cases), "wrong": wrong[:10]}, sys.stdout)
