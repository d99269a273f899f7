"""Decodes guest tokens with Superset's own code, and prints what it makes of each."""

import json
import os
import sys
import tempfile

given = json.load(sys.stdin)
directory = tempfile.mkdtemp()
config = os.path.join(directory, "superset_config.py")
with open(config, "w", encoding="utf-8") as file:
    file.write(
        f"""
SECRET_KEY = "{"x" * 42}"
SQLALCHEMY_DATABASE_URI = "sqlite:///{directory}/superset.db"
FEATURE_FLAGS = {{"EMBEDDED_SUPERSET": True, "ENABLE_TEMPLATE_PROCESSING": True}}
GUEST_TOKEN_JWT_SECRET = {given["secret"]!r}
GUEST_TOKEN_JWT_ALGO = "HS256"
GUEST_TOKEN_JWT_AUDIENCE = {given["audience"]!r}
"""
    )
os.environ["SUPERSET_CONFIG_PATH"] = config

from superset.app import create_app  # noqa: E402

app = create_app()
told = []
with app.app_context():
    from jinja2.sandbox import SandboxedEnvironment
    from sqlalchemy import text
    from superset.db_engine_specs.base import BaseEngineSpec
    from superset.extensions import security_manager
    from superset.security.api import guest_token_create_schema

    for token in given["tokens"]:

        class Request:
            """The parts of a request that the security manager reads."""

            headers = {app.config["GUEST_TOKEN_HEADER_NAME"]: token}
            form: dict[str, str] = {}

        user = security_manager.get_guest_user_from_request(Request)
        if user is None:
            told.append(None)
            continue
        claims = security_manager.parse_jwt_guest_token(token)
        guest_token_create_schema.load(
            {"user": claims["user"], "resources": claims["resources"], "rls": claims["rls_rules"]}
        )
        # The readers that come before the engine, as `get_sqla_row_level_filters` calls them.
        rendered = [
            str(text(SandboxedEnvironment().from_string(f"({rule['clause']})").render()))
            for rule in user.rls
        ]
        escaped = [str(BaseEngineSpec.get_text_clause(f"({r['clause']})")) for r in user.rls]
        told.append(
            {
                "username": user.username,
                "resources": user.resources,
                "datasets": [rule["dataset"] for rule in user.rls],
                "clauses": rendered,
                "escaped": escaped,
            }
        )
print("told " + json.dumps(told))
