"""Downloads rows in the browser session of a user of Superset, with the form of an embedded page.

SUPERSET_PASSWORD=… GUEST_TOKEN=… python3 signed_in_download.py http://127.0.0.1:8088 '{"queries": […], …}'

The arguments are the address of Superset, and the form data. It prints the status and the rows.
"""

import os
import re
import sys

import requests

superset, form_data = sys.argv[1:]
with requests.Session() as session:
    page = session.get(f"{superset}/login/", timeout=60).text
    [csrf] = re.findall(r'id="csrf_token"\s+value="([^"]+)"', page)
    login = {
        "username": "admin",
        "password": os.environ["SUPERSET_PASSWORD"],
        "csrf_token": csrf,
    }
    session.post(f"{superset}/login/", data=login, timeout=60).raise_for_status()
    form = {"form_data": form_data, "guest_token": os.environ["GUEST_TOKEN"]}
    rows = session.post(f"{superset}/api/v1/chart/data", data=form, timeout=60)
    print(rows.status_code, rows.text)
