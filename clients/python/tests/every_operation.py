"""Calls every operation of a running service, and prints the names of the methods it has called.

    BASE=http://127.0.0.1:3000 TOKEN=uga_… python3 tests/every_operation.py

The token needs every scope, the workspace must be new, and the service must know its PUBLIC_URL.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any

import requests

from user_group_service import ABSENT, ApiError, UserGroupClient, response_of
from user_group_service.models import BulkJob, DeclaredVariable, UserGroup, UserGroupLine

called: set[str] = set()
sent: list[requests.PreparedRequest] = []


class RecordingClient(UserGroupClient):
    """Notes which methods are called, and what is sent."""

    def __init__(self, base_url: str, api_token: str) -> None:
        session = requests.Session()
        session.hooks["response"].append(lambda response, **_: sent.append(response.request))
        super().__init__(base_url, api_token, session=session)

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if not name.startswith("_") and callable(value):
            called.add(name)
        return value


def problem_of(call: Callable[[], object]) -> ApiError:
    try:
        call()
    except ApiError as problem:
        return problem
    raise AssertionError("it was not refused")


def group(client: UserGroupClient, id: str) -> UserGroup:
    return client.get_user_group(id)["user_group"]


def ended_job(client: UserGroupClient, id: int) -> BulkJob:
    """Asks until the job has ended."""
    while True:
        job = client.get_bulk_job(id)["bulk_job"]
        if job["ended_at"] is not None:
            return job


def contract(client: UserGroupClient) -> None:
    properties = {"region": "EMEA", "exact": 2**53 - 1, "share": 0.1, "none": None, "ä": []}
    made = client.create_or_look_up_user_group(
        user_group_id="acme", name="Acme", mapping={"sales": 1, "ops": "x"}, properties=properties
    )
    request = sent[-1]
    assert request.method == "GET" and "X-HTTP-Method-Override" not in request.headers
    assert isinstance(request.body, bytes) and json.loads(request.body)["properties"] == properties
    assert made["success"] == 1 and made["new_user_group"] is True
    assert made["user_group"].get("properties") == properties
    assert type(made["user_group"]["properties"]["exact"]) is int
    found = client.create_or_look_up_user_group(user_group_id="acme")
    assert found["user_group"]["token"] == made["user_group"]["token"]

    # What is absent stays; None empties.
    client.upsert_user_group(user_group_id="acme", name="Acme Europe", properties=ABSENT)
    assert group(client, "acme")["properties"] == properties
    client.upsert_user_group(user_group_id="acme", mapping=None)
    assert group(client, "acme")["mapping"] == {}

    old = found["user_group"]["token"]
    rotated = client.rotate_user_group_token(current_token=old, idempotency_key="once")
    again = client.rotate_user_group_token(current_token=old, idempotency_key="once")
    assert old != rotated["user_group"]["token"] == again["user_group"]["token"]


def user_groups(client: UserGroupClient) -> None:
    id = "ä/b ?#%2F"
    created = client.replace_user_group(id, name="Put", mapping={"sales": "emea"})
    assert response_of(created).status == 201
    read = client.get_user_group(id)
    assert read["user_group"]["provided_id"] == id
    etag = response_of(read).headers["etag"]
    assert etag == response_of(read).etag and response_of(read).request_id is not None
    assert client.get_user_group(id, if_none_match=etag) is None
    patched = client.update_user_group(id, if_match=etag, properties={"seats": 3, "gone": None})
    assert patched["user_group"]["properties"] == {"seats": 3}
    late = problem_of(lambda: client.delete_user_group(id, if_match=etag))
    assert (late.status, late.code) == (412, "precondition_failed")

    assert client.suspend_user_group(id)["user_group"]["suspended_at"] is not None
    listed = client.list_user_groups(property_name="seats", property_value="3", status="suspended")
    assert [entry["provided_id"] for entry in listed["user_groups"]] == [id]
    assert client.resume_user_group(id)["user_group"]["suspended_at"] is None

    current = client.get_user_group_token(id)["user_group"]["token"]
    assert client.end_tokens(kinds=["embed_token"], reason="a drill")["success"] == 1
    assert client.revoke_token(token="none") == {"success": 1}
    leaked = client.report_leaked_tokens(tokens=["none"], source="a drill")
    assert leaked["results"] == [{"kind": "unknown", "result": "unknown"}]
    assert client.inspect_token(token=current)["inspection"]["accepted"] is True
    assert [entry["name"] for entry in client.view_user_group(id)["view"]["variables"]] == ["seats"]
    rotated = client.rotate_user_group_token_by_id(id, grace_period_seconds=600)
    assert rotated["user_group"]["token"] != current
    states = [token["state"] for token in client.list_user_group_tokens(id)["tokens"]]
    assert states == ["current", "overlap"]
    revoked = client.revoke_user_group_token(id, 1)
    assert revoked["tokens"][0]["state"] == "revoked"
    assert client.delete_user_group(id) == {"success": 1}

    versions = client.list_user_group_versions(id)["versions"]
    assert [entry["ended_by"] for entry in versions[:1]] == ["deletion"]
    compared = client.get_user_group_version(id, 2, compare_with=1)
    assert "/properties/seats" in [entry["pointer"] for entry in compared["differences"]]
    restored = client.restore_user_group_version(id, 1)
    assert response_of(restored).status == 201
    past = client.get_user_group(id, at=restored["user_group"]["created_at"])["past"]
    assert [token["refused_because"] for token in past["tokens"]] == [None]
    client.delete_user_group(id)


def bulk(client: UserGroupClient) -> None:
    def lines() -> Iterator[UserGroupLine]:
        for number in range(1000):
            yield {"user_group_id": f"moved {number}", "name": "Moved in", "mapping": None}
        yield {"user_group_id": "refused", "name": ""}

    with client.import_user_groups(lines()) as answer:
        told = list(answer)
    refused, summary = told
    assert "code" in refused and refused["line"] == 1001 and refused["status"] == 422
    assert "summary" in summary and summary["summary"]["created"] == 1000
    assert summary["summary"]["complete"] is True
    nothing = list(client.import_user_groups(iter([])))
    assert "summary" in nothing[0] and nothing[0]["summary"]["complete"] is True
    unchanged = list(client.import_user_groups([{"user_group_id": "acme"}], results="all"))
    assert "result" in unchanged[0] and unchanged[0]["result"] == "unchanged"

    changes = list(client.change_user_groups(action="resume", ids=["moved 0", "moved 999"]))
    assert "summary" in changes[-1] and changes[-1]["summary"]["unchanged"] == 2
    created = client.create_bulk_job(action="suspend", ids=["moved 0", "moved 999"])
    job = ended_job(client, created["bulk_job"]["id"])
    assert job["state"] == "done" and job["changed"] == 2
    assert [listed["id"] for listed in client.list_bulk_jobs(limit=1)["bulk_jobs"]] == [job["id"]]
    results = client.list_bulk_job_results(job["id"], result="changed")["results"]
    assert [result["provided_id"] for result in results] == ["moved 0", "moved 999"]
    ended = problem_of(lambda: client.cancel_bulk_job(job["id"]))
    assert ended.code == "bulk_job_ended"
    imported = client.create_import_job([{"user_group_id": "in an import", "name": "Imported"}])
    assert ended_job(client, imported["bulk_job"]["id"])["created"] == 1
    undone = client.undo_bulk_job(job["id"])["bulk_job"]
    assert ended_job(client, undone["id"])["changed"] == 2

    exported = list(client.export_user_groups(include_tokens=False))
    end = exported[-1]
    assert "summary" in end and end["summary"] == {"exported": len(exported) - 1, "complete": True}
    ids = {line["provided_id"] for line in exported if "provided_id" in line}
    assert "moved 0" in ids and "moved 999" in ids and not any("token" in line for line in exported)
    # One that is not read to its end can be closed.
    with client.export_user_groups() as begun:
        assert "provided_id" in next(begun)


def tokens(client: UserGroupClient) -> None:
    token = client.upsert_user_group(user_group_id="viewer", name="V", properties={"tier": 7})
    told = client.introspect_token(token=token["user_group"]["token"], cache_control="no-cache")
    assert told["active"] is True and told["properties"] == {"tier": 7}
    assert client.introspect_token(token="ugt_unknown") == {"active": False}
    issued = client.issue_embed_token("viewer", audience="dashboards", expires_in_seconds=60)
    embed = issued["embed_token"]
    assert client.introspect_token(token=embed["token"])["token_type"] == "embed_token"
    secret = "a-secret-of-at-least-32-bytes-of-text"
    client.put_target(
        "cube",
        kind="cube",
        signing={"alg": "HS256", "keys": [{"id": "a", "secret": secret}]},
        claims={"tenant": {"$": "sub"}},
    )
    assert client.get_target("cube")["target"]["kind"] == "cube"
    assert [target["name"] for target in client.list_targets()["targets"]] == ["cube"]
    assert client.get_target_setup("cube")["setup"]["place"] == "The environment of Cube"
    for_tool = client.issue_embed_token("viewer", target="cube")["embed_token"]
    assert for_tool["token_type"] == "target_token" and for_tool["revocable"] is False
    client.delete_target("cube")
    reported = client.report_usage(
        batch_id="a batch",
        views=[{"sub": "viewer", "count": 2, "at": datetime.now(timezone.utc).isoformat()}],
    )
    assert reported["batch"]["counted"] == 2
    assert client.list_usage(by="group")["usage"][0]["provided_id"] == "viewer"
    assert sum(day["views"] for day in client.list_user_group_usage("viewer")["usage"]) == 2
    limited = client.replace_user_group_limits("viewer", embed_tokens_per_day=5)
    assert client.get_user_group_limits("viewer")["limits"] == limited["limits"]
    client.rename_user_group("viewer", provided_id="viewer-2030")
    assert problem_of(lambda: client.get_user_group("viewer")).code == "user_group_renamed"
    client.rename_user_group("viewer-2030", provided_id="viewer")
    plan = client.plan_user_groups([{"provided_id": "planned", "name": "Planned"}], set="eu")
    number = plan["user_group_plan"]["id"]
    assert client.apply_user_groups(plan_id=number)["user_group_plan"]["counts"]["create"] == 1
    assert group(client, "planned")["managed_by"] == "eu"
    client.delete_user_group("planned")
    workspace = client.get_workspace_identity()["workspace"]
    keys = client.get_json_web_key_set(workspace["id"])["keys"]
    assert embed["kid"] in [key["kid"] for key in keys]
    assert client.get_issuer_metadata(workspace["id"])["issuer"] == workspace["issuer"]
    metadata = client.get_authorization_server_metadata()
    assert metadata["introspection_endpoint"].endswith("/api/v1/introspect")
    assert "Authorization" not in sent[-1].headers


def registry(client: UserGroupClient) -> None:
    schema = client.create_schema(provided_id="sales", name="Sales")["schema"]["id"]
    source = client.create_data_source(provided_id="emea", name="EMEA")["data_source"]["id"]
    client.upsert_user_group(user_group_id="mapped", name="M", mapping={"sales": "emea"})
    assert client.update_schema(schema, name="All sales")["schema"]["name"] == "All sales"
    assert client.update_data_source(source, name="Europe")["data_source"]["name"] == "Europe"
    assert client.get_schema(schema)["schema"]["provided_id"] == "sales"
    assert client.get_data_source(source)["data_source"]["name"] == "Europe"
    assert len(client.list_schemas(provided_id="sales")["schemas"]) == 1
    assert len(client.list_data_sources(limit=1)["data_sources"]) == 1

    assert client.list_unresolvable_mappings()["user_groups"] == []
    client.update_workspace(mapping_policy="registered")
    assert client.get_workspace()["workspace"]["mapping_policy"] == "registered"
    assert client.get_workspace_identity()["workspace"]["id"].startswith("ws_")
    kept = problem_of(lambda: client.delete_data_source(source))
    assert (kept.status, kept.code) == (409, "still_referenced") and len(kept.errors) > 0
    for references in (
        client.list_schema_references(schema),
        client.list_data_source_references(source),
    ):
        assert [entry["provided_id"] for entry in references["user_groups"]] == ["mapped"]
    region: DeclaredVariable = {"name": "region", "type": "string", "required": True}
    previewed = client.preview_incomplete_user_groups(variables=[region], limit=200)
    assert "mapped" in [entry["provided_id"] for entry in previewed["user_groups"]]
    client.update_workspace(variables=[region])
    assert client.get_user_group("mapped")["user_group"]["reasons"][0]["pointer"] == "/properties/region"
    client.update_workspace(mapping_policy="open", variables=[])
    assert client.delete_data_source(source)["success"] == 1
    assert client.delete_schema(schema)["success"] == 1


def api_tokens(client: UserGroupClient) -> None:
    issued = client.create_api_token(name="billing", scopes=["user-groups:read"])["api_token"]
    id = issued["id"]
    read = client.get_api_token(id)["api_token"]
    assert read["last_four"] == issued["token"][-4:] and read["allowed_cidrs"] is None
    changed = client.update_api_token(id, allowed_cidrs=["127.0.0.0/8"])["api_token"]
    assert changed["allowed_cidrs"] == ["127.0.0.0/8"] and changed["name"] == "billing"
    narrow = UserGroupClient(os.environ["BASE"], issued["token"])
    refused = problem_of(lambda: narrow.upsert_user_group(user_group_id="x", name="X"))
    assert (refused.status, refused.code) == (403, "insufficient_scope")
    rotated = client.rotate_api_token(id)["api_token"]
    assert client.revoke_api_token(rotated["id"])["api_token"]["state"] == "revoked"
    ids = [entry["id"] for entry in client.iter_api_tokens(limit=1)]
    assert len(ids) == len(set(ids)) > 1 and rotated["id"] in ids
    first = client.list_api_tokens(limit=1)
    rest = client.list_api_tokens(cursor=first["next_cursor"])
    assert first["api_tokens"][0]["id"] not in [entry["id"] for entry in rest["api_tokens"]]


def events(client: UserGroupClient) -> None:
    cursor = client.list_events(after="latest")["next_cursor"]
    with client.stream_events(after=cursor, types="user_group.*") as stream:
        assert next(stream).event == "open"
        client.upsert_user_group(user_group_id="followed", name="F")
        change = next(message for message in stream if message.event == "change")
    event = change.json()
    assert event["user_group"]["provided_id"] == "followed" and change.last_event_id != ""
    listed = client.list_events(after=cursor, limit=1000)["events"]
    # Up to 2^53, and exact.
    assert event["id"] in [entry["id"] for entry in listed]
    assert event["id"] in [entry["id"] for entry in client.iter_events(after=cursor, limit=1)]
    followed = next(client.follow_events(after=cursor, types="user_group.*"))
    assert followed.event["user_group"]["provided_id"] == "followed"
    for waited in client.iter_events(after=cursor, wait=5):
        assert waited["id"] == event["id"]
        break
    with client.stream_events(last_event_id=change.last_event_id) as resumed:
        assert next(resumed).event == "open"
    wrong = problem_of(lambda: client.stream_events(after="nowhere"))
    assert (wrong.status, wrong.code) == (422, "validation_failed")

    audited = client.list_audit_events(
        object_type="user_group", object_id="followed", from_="2020-01-01T00:00:00Z"
    )
    assert [entry["action"] for entry in audited["audit_events"]] == ["user_group.create"]
    exported = list(
        client.export_audit_events(object_id="followed", search="CREATE", from_="2020-01-01T00:00:00Z")
    )
    assert exported[0] == audited["audit_events"][0] and "summary" in exported[1]
    assert client.get_overview()["overview"]["user_groups"]["total"] > 0
    activity = client.get_activity(
        from_="2030-01-01T00:00:00Z", to="2030-01-02T00:00:00Z", step="day"
    )["activity"]
    assert [point["at"] for point in activity["points"]] == ["2030-01-01T00:00:00.000Z"]
    assert client.get_system()["system"]["migrations"]["pending"] == 0


def webhooks(client: UserGroupClient) -> None:
    made = client.create_webhook_endpoint(
        url="https://receiver.example/webhooks",
        event_types=["user_group.*"],
        headers={"X-Key": "k"},
    )["webhook_endpoint"]
    id = made["id"]
    assert client.list_webhook_endpoints()["webhook_endpoints"][0]["headers"] == ["X-Key"]
    assert client.get_webhook_endpoint(id)["webhook_endpoint"]["enabled"] is True
    changed = client.update_webhook_endpoint(id, enabled=False, description=None)
    assert changed["webhook_endpoint"]["disabled_reason"] == "request"
    rolled = client.roll_webhook_secret(id, grace_period_seconds=0)["webhook_endpoint"]
    assert rolled["secret"] != made["secret"]
    assert client.list_webhook_attempts(id)["attempts"] == []
    refused = problem_of(lambda: client.send_test_event(id))
    assert (refused.status, refused.code) == (409, "webhook_test_refused")
    assert client.replay_webhooks(id, from_="2020-01-01T00:00:00Z")["success"] == 1
    assert client.delete_webhook_endpoint(id) == {"success": 1}


def problems(client: UserGroupClient) -> None:
    missing = problem_of(lambda: client.get_api_token(999_999))
    assert (missing.status, missing.code) == (404, "api_token_not_found")
    invalid = problem_of(lambda: client.upsert_user_group(user_group_id="acme", name=""))
    assert (invalid.status, invalid.code) == (422, "validation_failed")
    assert invalid.errors[0]["pointer"] == "/name" and invalid.errors[0]["code"] == "empty"
    assert invalid.request_id is not None and invalid.request_id in str(invalid)
    assert invalid.retry_after is None
    assert str(pickle.loads(pickle.dumps(invalid))) == str(invalid)
    lossy = problem_of(
        lambda: client.upsert_user_group(user_group_id="acme", properties={"n": 2**53 + 1})
    )
    assert lossy.errors[0]["code"] == "lossy_number"
    stranger = UserGroupClient(os.environ["BASE"], "uga_" + "0" * 38)
    refused = problem_of(stranger.get_workspace)
    assert (refused.status, refused.code) == (401, "api_token_invalid")
    # Also where a stream is asked for.
    assert problem_of(lambda: stranger.import_user_groups([])).status == 401


def main() -> None:
    with RecordingClient(os.environ["BASE"] + "/", os.environ["TOKEN"]) as client:
        assert client.get_liveness()["status"] == "live"
        assert client.get_readiness()["status"] == "ready"
        contract(client)
        user_groups(client)
        tokens(client)
        registry(client)
        api_tokens(client)
        events(client)
        webhooks(client)
        bulk(client)
        problems(client)
    operations = {name for name in called if not name.startswith(("iter_", "follow_", "close"))}
    print(json.dumps(sorted(operations)))


main()
