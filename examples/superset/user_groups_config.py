# Behind superset_config.py, in the same file.
from superset.security import SupersetSecurityManager
from user_group_service.superset import rule, security_manager

CUSTOM_SECURITY_MANAGER = security_manager(
    SupersetSecurityManager,
    url=os.environ["USER_GROUPS_URL"],
    api_token=os.environ["SUPERSET_TOKEN"],
    audience="superset",
    origin=SITE,
    dashboards=[os.environ["DASHBOARD"]],
    schema="sales",
    data_sources={
        "warehouse-acme": "postgresql:///warehouse_acme",
        "warehouse-globex": "postgresql:///warehouse_globex",
    },
    rules=[rule("region", "region", "string", engine="postgresql")],
)
