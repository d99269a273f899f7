"""A whole renderer: POST /query with an embed token or a user-group token shows the revenue of its group.

SERVICE_URL=http://127.0.0.1:3000 API_TOKEN=uga_… ROWS=rows.sqlite AUDIENCE=dashboards \
EMBEDDED_BY=https://app.example.com PORT=4000 python3 renderer.py
"""

import json
import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from user_group_service import ApiError, BindError, UserGroupClient, bind_variables

AUDIENCE, EMBEDDED_BY = os.environ["AUDIENCE"], os.environ["EMBEDDED_BY"]
DASHBOARD = {"type": "dashboard", "id": "sales"}
SOURCES = ("one", "two")
SQL = """SELECT product FROM sale
  WHERE source = {{source}} AND region = {{group.region}} ORDER BY product DESC LIMIT {{group.max_rows}}"""
DECLARATIONS = {"source": "string", "group.region": "string", "group.max_rows": "integer"}


class Refusal(Exception):
    """Why a viewer is shown nothing: a status, and a text for the viewer."""


def viewer_of(token):
    """1. Get the context: who is viewing, which data source is theirs, and with which variables."""
    if not isinstance(token, str):
        raise Refusal(400, "There is no token.")
    try:
        with UserGroupClient(os.environ["SERVICE_URL"], os.environ["API_TOKEN"], timeout=2, max_retries=0) as client:
            viewer = client.introspect_token(token=token)
    except ApiError as error:
        print(error, file=sys.stderr, flush=True)
        raise Refusal(503, "Nobody can say who is viewing just now.") from None
    # Everything but a plain yes is a no.
    if viewer.get("active") is not True:
        raise Refusal(401, "This link is not valid. It may have expired or been replaced.")
    if viewer["token_type"] == "embed_token":
        if viewer["aud"] != AUDIENCE or viewer.get("origin", EMBEDDED_BY) != EMBEDDED_BY:
            raise Refusal(403, "This link is for another dashboard or site.")
        if DASHBOARD not in viewer.get("resources", [DASHBOARD]):
            raise Refusal(403, "This link is for another dashboard.")
    return viewer


def query(token):
    """2. Bind: the mapping chooses from a list, and the variables become placeholders."""
    viewer = viewer_of(token)
    source = viewer["mapping"].get("sales")
    if source not in SOURCES:
        raise Refusal(422, "There is no such data source.")
    variables = {"source": source, "group": viewer.get("variables", viewer["properties"])}
    bound = bind_variables(SQL, variables, dialect="sqlite", declarations=DECLARATIONS)
    database = sqlite3.connect(f"file:{os.environ['ROWS']}?mode=ro", uri=True)
    try:
        rows = database.execute(bound.text, bound.values).fetchall()
    finally:
        database.close()
    # Somebody who views as the group, such as support, is named on the dashboard.
    return {"acting": viewer.get("act", {}).get("sub"), "rows": rows}


class Dashboard(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, response = 200, query(body.get("token"))
        except Refusal as refusal:
            status, response = refusal.args[0], {"message": refusal.args[1]}
        except BindError as error:
            status, response = 422, {"message": f"The variable {error.variable} cannot be used."}
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(json.dumps(response).encode())


# 3. Prove: conformance --config renderer.json
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Dashboard).serve_forever()
