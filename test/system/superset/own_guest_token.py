"""Prints a guest token that Superset makes itself, without filters.

SUPERSET_PASSWORD=… python3 own_guest_token.py http://127.0.0.1:8088 4f2c8a10-0000-4000-8000-000000000001

The arguments are the address of Superset, and the id of the embedded dashboard.
"""

import os
import sys

import requests

superset, dashboard = sys.argv[1:]
security = f"{superset}/api/v1/security"
with requests.Session() as session:
    login = {"username": "admin", "password": os.environ["SUPERSET_PASSWORD"], "provider": "db"}
    signed_in = session.post(f"{security}/login", json=login, timeout=60).json()
    session.headers["Authorization"] = f"Bearer {signed_in['access_token']}"
    csrf = session.get(f"{security}/csrf_token/", timeout=60).json()["result"]
    session.headers.update({"X-CSRFToken": csrf, "Referer": superset})
    guest = {
        "user": {"username": "guest"},
        "resources": [{"type": "dashboard", "id": dashboard}],
        "rls": [],
    }
    made = session.post(f"{security}/guest_token/", json=guest, timeout=60)
    made.raise_for_status()
    print(made.json()["token"])
