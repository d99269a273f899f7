# Introspection by Authlib (python3-authlib, python3-requests), without a web framework. It caches nothing. An exception
# of requests, for example a Timeout, is a 500 here; a web framework has a handler for it.
import os
from wsgiref.simple_server import make_server

from authlib.integrations.requests_client import OAuth2Session

SERVICE = "https://user-groups.example.com"
renderer = OAuth2Session(
    "dashboards",
    os.environ["API_TOKEN"],
    token_endpoint_auth_method="client_secret_post",  # or client_secret_basic
)

def dashboard(environ, start_response):
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    viewer = {"active": False}
    if scheme.lower() == "bearer" and token:
        response = renderer.introspect_token(SERVICE + "/api/v1/introspect", token=token, timeout=2)
        if response.status_code in (429, 503):
            retry = [("Retry-After", response.headers.get("Retry-After", "1"))]
            start_response("503 Service Unavailable", retry)
            return []
        response.raise_for_status()
        viewer = response.json()
    if not viewer["active"]:
        start_response("401 Unauthorized", [("WWW-Authenticate", "Bearer")])
        return []
    start_response("200 OK", [("Content-Type", "text/plain; charset=utf-8")])
    return [f"dashboard of {viewer['sub']}".encode()]

make_server("127.0.0.1", int(os.environ["PORT"]), dashboard).serve_forever()
