"""A whole renderer: POST /query with an embed token or a user-group token shows the revenue of its group.

SERVICE_URL=http://127.0.0.1:3000 API_TOKEN=uga_… ROWS=rows.sqlite AUDIENCE=dashboards \
EMBEDDED_BY=https://app.example.com PORT=4000 python3 renderer.py
"""

import json
import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from user_group_service import CachedIntrospector, Refusal, bind_variables, viewer_of

# 1. Get the context: who is viewing, which data source is theirs, and with which variables.
introspector = CachedIntrospector(os.environ["SERVICE_URL"], os.environ["API_TOKEN"])
RENDERER = {
    "introspect": introspector.introspect,
    "audience": os.environ["AUDIENCE"],
    "origin": os.environ["EMBEDDED_BY"],
    "resource": {"type": "dashboard", "id": "sales"},
    "schema": "sales",
    "data_sources": {"one": "one", "two": "two"},
    "declarations": {"region": "string", "max_rows": "integer"},
}

# 2. Bind: the variables become placeholders.
SQL = """SELECT product FROM sale
  WHERE source = {{source}} AND region = {{region}} ORDER BY product DESC LIMIT {{max_rows}}"""
DECLARATIONS = {**RENDERER["declarations"], "source": "string"}


def query(token):
    viewer = viewer_of(token, **RENDERER)
    variables = {**viewer.variables, "source": viewer.data_source}
    bound = bind_variables(SQL, variables, dialect="sqlite", declarations=DECLARATIONS)
    database = sqlite3.connect(f"file:{os.environ['ROWS']}?mode=ro", uri=True)
    try:
        rows = database.execute(bound.text, bound.values).fetchall()
    finally:
        database.close()
    # Somebody who views as the group, such as support, is named on the dashboard.
    return {"acting": viewer.actor, "rows": rows}


class Dashboard(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, response = 200, query(body.get("token"))
        except Refusal as refusal:
            print(repr(refusal), file=sys.stderr, flush=True)
            status, response = refusal.status, {"message": str(refusal)}
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(json.dumps(response).encode())


# 3. Prove: conformance --config renderer.json
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Dashboard).serve_forever()
