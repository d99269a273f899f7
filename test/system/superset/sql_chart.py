"""Adds a chart with SQL of its own to the dashboard, as the request body of Superset that is given.

SUPERSET_PASSWORD=… python3 sql_chart.py http://127.0.0.1:8088 '{"slice_name": "SQL", …}'

The arguments are the address of Superset, and the chart.
"""

import json
import os
import sys

import requests

superset, chart = sys.argv[1:]
with requests.Session() as session:
    login = {"username": "admin", "password": os.environ["SUPERSET_PASSWORD"], "provider": "db"}
    signed_in = session.post(f"{superset}/api/v1/security/login", json=login, timeout=60).json()
    session.headers["Authorization"] = f"Bearer {signed_in['access_token']}"
    csrf = session.get(f"{superset}/api/v1/security/csrf_token/", timeout=60).json()["result"]
    session.headers.update({"X-CSRFToken": csrf, "Referer": superset})
    made = session.post(f"{superset}/api/v1/chart/", json=json.loads(chart), timeout=60)
    made.raise_for_status()
    print(made.json()["id"])
