"""Makes a dashboard with a table of sales in a new Superset, to be embedded, and prints its id.

SUPERSET_PASSWORD=… python3 dashboard.py http://127.0.0.1:8088 postgresql:///warehouse_template https://app.example.com

The arguments are the addresses of Superset, of the database, and of the site that embeds the dashboard.
"""

import json
import os
import sys

import requests

superset, database, site = sys.argv[1:]
session = requests.Session()


def call(method, path, body=None):
    response = session.request(method, f"{superset}/api/v1/{path}", json=body, timeout=60)
    if not response.ok:
        sys.exit(f"{method} {path}: {response.status_code} {response.text}")
    return response.json()


login = {"username": "admin", "password": os.environ["SUPERSET_PASSWORD"], "provider": "db"}
session.headers["Authorization"] = f"Bearer {call('POST', 'security/login', login)['access_token']}"
session.headers["X-CSRFToken"] = call("GET", "security/csrf_token/")["result"]
session.headers["Referer"] = superset

warehouse = {"database_name": "warehouse", "sqlalchemy_uri": database}
database_id = call("POST", "database/", warehouse)["id"]
table = {"database": database_id, "schema": "public", "table_name": "sale"}
dataset_id = call("POST", "dataset/", table)["id"]
title = {"dashboard_title": "Sales", "published": True}
dashboard_id = call("POST", "dashboard/", title)["id"]
shown = {
    "datasource": f"{dataset_id}__table",
    "viz_type": "table",
    "query_mode": "raw",
    "all_columns": ["product", "amount"],
    "row_limit": 100,
}
chart = {
    "slice_name": "Sales",
    "viz_type": "table",
    "datasource_id": dataset_id,
    "datasource_type": "table",
    "dashboards": [dashboard_id],
    "params": json.dumps(shown),
}
chart_id = call("POST", "chart/", chart)["id"]


def part(id, type, parents, children, **meta):
    return {"id": id, "type": type, "parents": parents, "children": children, "meta": meta}


positions = {
    "DASHBOARD_VERSION_KEY": "v2",
    "ROOT_ID": part("ROOT_ID", "ROOT", [], ["GRID_ID"]),
    "GRID_ID": part("GRID_ID", "GRID", ["ROOT_ID"], ["ROW"]),
    "ROW": part("ROW", "ROW", ["ROOT_ID", "GRID_ID"], ["CHART"], background="BACKGROUND_TRANSPARENT"),
    "CHART": part(
        "CHART", "CHART", ["ROOT_ID", "GRID_ID", "ROW"], [], chartId=chart_id, width=6, height=50
    ),
}
layout = {"json_metadata": json.dumps({"positions": positions})}
call("PUT", f"dashboard/{dashboard_id}", layout)
embedded = call("POST", f"dashboard/{dashboard_id}/embedded", {"allowed_domains": [site]})
print(embedded["result"]["uuid"])
