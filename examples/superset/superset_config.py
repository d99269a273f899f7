import os

from superset.config import TALISMAN_CONFIG

SITE = "http://127.0.0.1:8080"  # the pages around the dashboard

SECRET_KEY = os.environ["SUPERSET_SECRET_KEY"]
SQLALCHEMY_DATABASE_URI = f"sqlite:///{os.getcwd()}/superset.db"
DATA_CACHE_CONFIG = {"CACHE_TYPE": "FileSystemCache", "CACHE_DIR": f"{os.getcwd()}/cache"}
FEATURE_FLAGS = {"EMBEDDED_SUPERSET": True}

GUEST_ROLE_NAME = "Guest"
FAB_ROLES = {
    "Guest": [
        ["(Chart|CurrentUserRestApi|Dashboard)$", "can_read$"],
        ["Superset$", "(can_csv|can_log)$"],
    ]
}
TALISMAN_CONFIG["frame_options"] = None
TALISMAN_CONFIG["content_security_policy"]["frame-ancestors"] = [SITE]
