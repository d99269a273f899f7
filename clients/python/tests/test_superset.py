"""The security manager on a base class that stands in for that of Superset.

python3 -m unittest tests/test_superset.py

`npm run test:superset` shows the same on a Superset that runs.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import unittest
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

from jinja2.sandbox import SandboxedEnvironment
from sqlalchemy import text
from sqlalchemy.dialects import sqlite

from user_group_service import ApiError, superset
from user_group_service.superset import RuleType, rule, security_manager

ACME: dict[str, Any] = {
    "active": True,
    "token_type": "user_group_token",
    "sub": "acme",
    "team_id": 17,
    "name": "Acme",
    "mapping": {"sales": "warehouse-acme"},
    "properties": {"region": "EMEA", "products": ["Tents", "Stoves"], "level": 3, "paid": True},
}
EMBED: dict[str, Any] = {**ACME, "token_type": "embed_token", "aud": "superset"}
REGION = rule("region", "region", "string", engine="postgresql")
OPTIONS: dict[str, Any] = {
    "url": "http://127.0.0.1:1",
    "api_token": "uga_not-used",
    "audience": "superset",
    "dashboards": ["d-1", "d-2"],
    "rules": [REGION],
}
SOURCES: dict[str, Any] = {
    "schema": "sales",
    "data_sources": {"warehouse-acme": "postgresql:///acme", 7: "postgresql:///seven"},
}
CONFIG: dict[str, Any] = {
    "GUEST_TOKEN_HEADER_NAME": "X-GuestToken",
    "GUEST_ROLE_NAME": "Guest",
    "AUTH_ROLE_PUBLIC": "Public",
    "DEFAULT_FEATURE_FLAGS": {"GLOBAL_ASYNC_QUERIES": False},
    "FEATURE_FLAGS": {"EMBEDDED_SUPERSET": True},
}
MARKER = r"^'([0-9a-f]{64})' = '\1'$"
HOSTILE = (
    *("", " ", "EMEA", "'", "''", '"', "`", "\\", "\\'", "--", "/*", ";", "%s", "%(a)s", ":a", "\\:a"),
    *("{{ 7 * 7 }}", "{% raw %}", "{# #}", "{{", "}}", "${a}", "$1", "?", "\n", "\r", "\x1a", "\u2028"),
    *("' OR '1'='1", "'; DROP TABLE sale; --", "x') OR 1=1 --", "{{ current_username() }}", "é", "😀"),
    *("\u02bc OR 1=1", "\uff07", "a' UNION SELECT 1 --", "{{ ''.__class__.__mro__ }}", "null", "1 = 1"),
)


class Base:
    """The members of Superset's own that count, as it has them."""

    def __init__(self, app: Any) -> None:
        self.guest: Any = None
        self.create_login_manager(app)

    def create_login_manager(self, app: object) -> str:
        return "a login manager"

    def get_guest_user_from_token(self, token: dict[str, Any]) -> Any:
        return SimpleNamespace(guest_token=token, rls=token.get("rls_rules", []))

    def load_user(self, pk: int) -> Any:
        return SimpleNamespace(is_authenticated=True) if pk == 1 else None

    def get_current_guest_user_if_guest(self) -> Any:
        return self.guest

    def raise_for_access(self, **kwargs: Any) -> None:
        """Refuses nothing, as Superset does if the dataset is that of a chart."""

    def get_datasource_access_error_object(self, dataset: Any) -> str:
        return f"no access to {dataset.id}"

    def has_guest_access(self, dashboard: Any) -> bool:
        return any(one["id"] == dashboard.uuid for one in self.guest.guest_token["resources"])

    def get_guest_rls_filters(self, dataset: int) -> list[dict[str, Any]]:
        if self.guest is None:
            return []
        return [one for one in self.guest.rls if one.get("dataset") in (None, dataset)]


class Form:
    """The fields of a form, as Werkzeug has them."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self.fields = fields

    def get(self, name: str) -> str | None:
        return next((value for key, value in self.fields if key == name), None)

    def items(self, multi: bool) -> list[tuple[str, str]]:
        return self.fields


class Globals:
    """`flask.g`."""

    def __contains__(self, name: str) -> bool:
        return name in vars(self)

    def get(self, name: str) -> Any:
        return vars(self).get(name)


class Scene:
    """A security manager, with the introspection that it gets and the Flask that it uses."""

    def __init__(
        self, introspection: Any, other: Any = None, config: Any = None, **options: Any
    ) -> None:
        self.introspection = introspection
        self.asked: list[str] = []
        self.config = {**CONFIG, "DB_CONNECTION_MUTATOR": other, **(config or {})}
        self.after: list[Any] = []
        self.flask = SimpleNamespace(
            current_app=SimpleNamespace(config=self.config),
            after_this_request=self.after.append,
            g=Globals(),
            has_request_context=lambda: True,
        )
        self.before: list[Any] = []
        app = SimpleNamespace(before_request=self.before.append)
        introspector = mock.Mock(introspect=self.introspect)
        with (
            mock.patch.object(superset, "CachedIntrospector", return_value=introspector),
            mock.patch.object(superset, "_flask", return_value=self.flask),
        ):
            manager = security_manager(Base, **{**OPTIONS, **options})
            self.manager = cast(Any, manager)(app)

    def introspect(self, token: str) -> Any:
        self.asked.append(token)
        if isinstance(self.introspection, Exception):
            raise self.introspection
        return self.introspection

    def request(self, **more: Any) -> Any:
        known: dict[str, Any] = {
            "headers": {"X-GuestToken": "the-token"},
            "form": Form([]),
            "method": "POST",
        }
        return SimpleNamespace(**{**known, "endpoint": "ChartDataRestApi.data", **more})

    def guest(self, **more: Any) -> Any:
        with mock.patch.object(superset, "_flask", return_value=self.flask):
            found = self.manager.get_guest_user_from_request(self.request(**more))
        self.manager.guest = found
        return found

    def clauses(self, dataset: int = 1) -> list[str]:
        return [one["clause"] for one in self.manager.get_guest_rls_filters(dataset)]


def clause(column: str, variable: str, type: RuleType, value: Any) -> str:
    """The clause of a rule for SQLite."""
    filtered = rule(column, variable, type, engine="sqlite")
    scene = Scene({**ACME, "properties": {variable: value}}, rules=[filtered])
    assert scene.guest() is not None
    [one, _] = scene.clauses()
    return one


class Guests(unittest.TestCase):
    def test_a_viewer_is_a_guest_with_the_filters_of_the_group(self) -> None:
        scene = Scene(EMBED)
        token = scene.guest().guest_token
        self.assertEqual(token["user"], {"username": "g17"})
        self.assertEqual([one["id"] for one in token["resources"]], ["d-1", "d-2"])
        [found, marker] = scene.clauses()
        self.assertEqual(found, "region = convert_from(decode('454d4541', 'hex'), 'UTF8')")
        self.assertRegex(marker, MARKER)
        self.assertEqual(scene.asked, ["the-token"])
        # Superset hands it to its workers as JSON.
        self.assertEqual(json.loads(json.dumps(token)), token)

    def test_a_user_has_a_name_that_no_other_has_and_that_is_no_text_of_the_host(self) -> None:
        names = {
            Scene({**EMBED, "team_id": team, "user_id": user}).guest().guest_token["user"]["username"]
            for team in (17, 18)
            for user in ("u-17", "u-18", "'; DROP TABLE sale; --")
        }
        self.assertEqual(len(names), 6)
        for name in names:
            self.assertRegex(name, r"^g1[78]-[0-9a-f]{32}$")

    def test_an_embed_token_with_resources_opens_those_alone(self) -> None:
        resources = [{"type": "dashboard", "id": "d-2"}, {"type": "dashboard", "id": "another"}]
        scene = Scene({**EMBED, "resources": resources})
        found = scene.guest().guest_token["resources"]
        self.assertEqual([one["id"] for one in found], ["d-2"])
        self.assertEqual(len(scene.asked), 1)
        for others in ([{"type": "dashboard", "id": "another"}], [{"type": "report", "id": "d-1"}]):
            with self.assertLogs("user_group_service"):
                self.assertIsNone(Scene({**EMBED, "resources": others}).guest())

    def test_a_refused_viewer_is_no_guest(self) -> None:
        refused: list[tuple[Any, dict[str, Any]]] = [
            ({"active": False}, {}),
            ({**ACME, "active": "true"}, {}),
            ({**EMBED, "aud": "another"}, {}),
            ({**EMBED, "origin": "https://app.example.com"}, {}),
            ({**EMBED, "origin": "https://other.example.com"}, {"origin": "https://app.example.com"}),
            ({**ACME, "properties": {}}, {}),
            ({**ACME, "properties": {"region": None}}, {}),
            ({**ACME, "properties": {"region": ["EMEA"]}}, {}),
            ({**ACME, "properties": {"region": "a\0b"}}, {}),
            ({**ACME, "mapping": {}}, SOURCES),
            ({**ACME, "mapping": {"sales": "warehouse-globex"}}, SOURCES),
            ({**ACME, "mapping": {"sales": "7"}}, SOURCES),
        ]
        for introspection, options in refused:
            scene = Scene(introspection, **options)
            with self.subTest(repr(introspection)), self.assertLogs("user_group_service") as logs:
                self.assertIsNone(scene.guest())
                self.assertEqual(scene.after, [])
            self.assertNotIn("the-token", "".join(logs.output))

    def test_nobody_is_a_guest_while_the_service_is_away(self) -> None:
        for error, seconds in (
            (ApiError(None, None, "no response"), "1"),
            (ApiError(429, "rate_limited", "too many", retry_after=7), "7"),
            (ApiError(503, None, "a page of a proxy"), "1"),
        ):
            scene = Scene(error)
            with self.subTest(repr(error)), self.assertLogs("user_group_service") as logs:
                self.assertIsNone(scene.guest())
                [change] = scene.after
            self.assertNotIn("the-token", "".join(logs.output))
            refused = change(SimpleNamespace(status_code=401, headers={}))
            self.assertEqual((refused.status_code, refused.headers), (503, {"Retry-After": seconds}))
            # A response that needs no guest stays as it is.
            health = change(SimpleNamespace(status_code=200, headers={}))
            self.assertEqual((health.status_code, health.headers), (200, {}))

    def test_another_error_of_the_introspection_is_raised(self) -> None:
        with self.assertRaises(RuntimeError):
            Scene(RuntimeError("a fault")).guest()

    def test_without_a_token_nothing_is_asked(self) -> None:
        scene = Scene(ACME)
        self.assertIsNone(scene.guest(headers={}))
        self.assertEqual(scene.asked, [])

    def test_a_token_of_a_form_is_taken_out_of_it(self) -> None:
        fields = [("guest_token", "the-token"), ("form_data", "{}"), ("guest_token", "another")]
        for is_earlier in (True, False):
            scene = Scene(ACME)
            request = scene.request(headers={}, form=Form(fields))
            scene.flask.request = request
            with mock.patch.object(superset, "_flask", return_value=scene.flask):
                if is_earlier:
                    # Nobody asks for the guest if a user of Superset is signed in.
                    [take] = scene.before
                    self.assertIsNone(take())
                    self.assertEqual(request.form.fields, [("form_data", "{}")])
                self.assertIsNotNone(scene.manager.get_guest_user_from_request(request))
            self.assertEqual(request.form.fields, [("form_data", "{}")])
            self.assertEqual(scene.asked, ["the-token"])

    def test_a_form_without_a_token_stays_as_it_is(self) -> None:
        scene = Scene(ACME)
        form = Form([("form_data", "{}")])
        scene.flask.request = scene.request(form=form)
        with mock.patch.object(superset, "_flask", return_value=scene.flask):
            scene.before[0]()
        self.assertIs(scene.flask.request.form, form)

    def test_nobody_gets_what_superset_keeps_by_the_address_alone(self) -> None:
        for method, is_guest in (("GET", False), ("HEAD", False), ("POST", True)):
            found = Scene(ACME).guest(method=method, endpoint="Superset.explore_json")
            self.assertEqual(found is not None, is_guest, method)

    def test_a_response_is_kept_out_of_caches_and_names_who_acts(self) -> None:
        scene = Scene({**EMBED, "act": {"sub": "kim ü@example.com"}})
        scene.guest()
        [mark] = scene.after
        response = mark(SimpleNamespace(headers={}))
        self.assertEqual(
            response.headers,
            {"Cache-Control": "no-store", "X-User-Group-Acting": "kim%20%C3%BC%40example.com"},
        )
        others = Scene(ACME)
        others.guest()
        self.assertNotIn(
            "X-User-Group-Acting", others.after[0](SimpleNamespace(headers={})).headers
        )


class Filters(unittest.TestCase):
    def test_a_dataset_that_no_rule_filters_shows_no_rows(self) -> None:
        own = rule("region", "region", "string", engine="sqlite", dataset=7)
        either: list[dict[str, Any]] = [{}, SOURCES]
        for options in either:
            scene = Scene(ACME, rules=[own], **options)
            scene.guest()
            self.assertIn("1 = 0", scene.clauses(8))
            self.assertNotIn("1 = 0", scene.clauses(7))

    def test_somebody_who_is_no_guest_has_the_filters_of_superset(self) -> None:
        self.assertEqual(Scene(ACME).manager.get_guest_rls_filters(1), [])

    def test_the_data_source_is_a_part_of_the_filters(self) -> None:
        found = set()
        for name in ("warehouse-acme", 7):
            scene = Scene({**ACME, "mapping": {"sales": name}}, rules=[], **SOURCES)
            scene.guest()
            [one] = scene.clauses()
            self.assertRegex(one, MARKER)
            found.add(one)
        self.assertEqual(len(found), 2)

    def test_the_filters_of_other_datasets_are_a_part_of_those_of_each(self) -> None:
        level_rule = rule("level", "level", "integer", engine="sqlite", dataset=8)
        rules = [REGION._replace(dataset=7), level_rule]
        found = []
        for level in (3, 4, 3):
            scene = Scene({**ACME, "properties": {"region": "EMEA", "level": level}}, rules=rules)
            scene.guest()
            found.append(scene.clauses(7))
        self.assertEqual(found[0][0], found[1][0])
        self.assertNotEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])

    def test_lists_numbers_and_booleans(self) -> None:
        self.assertEqual(clause("level", "level", "integer", 3), "level = 3")
        self.assertEqual(clause("level", "level", "integer", -3), "level = (-3)")
        self.assertEqual(clause("paid", "paid", "boolean", False), "paid = 0")
        self.assertEqual(clause("t.level", "levels", "integer[]", [1, 2]), "t.level IN (1, 2)")
        self.assertEqual(clause("product", "products", "string[]", []), "1 = 0")
        two = "\"The product\" IN (CAST(x'61' AS TEXT), CAST(x'62' AS TEXT))"
        self.assertEqual(clause('"The product"', "products", "string[]", ["a", "b"]), two)

    def test_a_variable_can_be_a_path(self) -> None:
        country = rule("country", "address.country", "string", engine="sqlite")
        scene = Scene({**ACME, "properties": {"address": {"country": "a"}}}, rules=[country])
        scene.guest()
        self.assertEqual(scene.clauses()[0], "country = CAST(x'61' AS TEXT)")

    def test_hostile_values_find_their_own_row_through_templates_and_sqlalchemy(self) -> None:
        database = sqlite3.connect(":memory:")
        database.execute("CREATE TABLE sale (region TEXT)")
        database.executemany("INSERT INTO sale VALUES (?)", [(value,) for value in HOSTILE])
        templates = SandboxedEnvironment()
        for value in HOSTILE:
            for type, given in (("string", value), ("string[]", [value])):
                with self.subTest(repr(given)):
                    own = clause("region", "region", cast(RuleType, type), given)
                    # These are the readers of `get_sqla_row_level_filters`.
                    rendered = templates.from_string(f"({own})").render()
                    compiled = str(text(rendered).compile(dialect=sqlite.dialect()))
                    self.assertEqual(compiled, f"({own})")
                    rows = database.execute(f"SELECT region FROM sale WHERE {compiled}").fetchall()
                    self.assertEqual(rows, [(value,)])


class Connections(unittest.TestCase):
    def connect(self, scene: Scene) -> Any:
        mutate = cast(Any, scene.config["DB_CONNECTION_MUTATOR"])
        with mock.patch.object(superset, "_flask", return_value=scene.flask):
            return mutate("postgresql:///none", {"pool": 1}, None, scene.manager, None)

    def test_a_guest_gets_the_own_data_source(self) -> None:
        for name, uri in SOURCES["data_sources"].items():
            scene = Scene({**ACME, "mapping": {"sales": name}}, **SOURCES)
            scene.guest()
            self.assertEqual(self.connect(scene), (uri, {"pool": 1}))

    def test_what_runs_after_the_request_of_a_guest_gets_the_own_data_source(self) -> None:
        scene = Scene(ACME, **SOURCES)
        scene.guest()
        scene.manager.guest = None
        for has_request in (True, False):
            for user in (None, SimpleNamespace(is_authenticated=True)):
                scene.flask.has_request_context = lambda known=has_request: known
                scene.flask.g.user = user
                self.assertEqual(self.connect(scene), ("postgresql:///acme", {"pool": 1}))

    def test_a_job_of_a_guest_gets_the_own_data_source(self) -> None:
        scene = Scene(ACME, **SOURCES)
        scene.guest()
        scene.flask.g = Globals()
        self.assertEqual(self.connect(scene), ("postgresql:///acme", {"pool": 1}))

    def test_a_user_of_superset_and_a_command_get_that_of_the_dataset(self) -> None:
        own = ("postgresql:///none", {"pool": 1})
        scene = Scene(ACME, **SOURCES)
        scene.flask.g.user = SimpleNamespace(is_authenticated=True)
        self.assertEqual(self.connect(scene), own)
        scene.flask.g.user = None
        with mock.patch.object(superset, "_flask", return_value=scene.flask):
            self.assertIsNotNone(scene.manager.load_user(1))
        # A download goes on after the request.
        self.assertEqual(self.connect(scene), own)
        scene.flask.g = Globals()
        scene.flask.has_request_context = lambda: False
        self.assertEqual(self.connect(scene), own)

    def test_nobody_gets_no_connection(self) -> None:
        scene = Scene(ACME, **SOURCES)
        with mock.patch.object(superset, "_flask", return_value=scene.flask):
            self.assertIsNone(scene.manager.load_user(2))
        with self.assertRaises(PermissionError):
            self.connect(scene)
        for user in (None, SimpleNamespace(is_authenticated=False)):
            scene.flask.g.user = user
            for has_request in (True, False):
                scene.flask.has_request_context = lambda known=has_request: known
                with self.assertRaises(PermissionError):
                    self.connect(scene)

    def test_a_guest_without_a_known_data_source_gets_no_connection(self) -> None:
        scene = Scene(ACME, **SOURCES)
        scene.guest().guest_token["data_source"] = "warehouse-globex"
        scene.flask.g = Globals()
        with self.assertRaises(KeyError):
            self.connect(scene)

    def test_another_mutator_runs_first(self) -> None:
        def other(uri: Any, params: Any, *more: Any) -> Any:
            return f"{uri}?own", {**params, "own": True}

        scene = Scene(ACME, other, **SOURCES)
        scene.flask.g.user = SimpleNamespace(is_authenticated=True)
        self.assertEqual(self.connect(scene), ("postgresql:///none?own", {"pool": 1, "own": True}))
        scene.guest()
        self.assertEqual(self.connect(scene), ("postgresql:///acme", {"pool": 1, "own": True}))

    def test_without_data_sources_connections_are_left_alone(self) -> None:
        self.assertIsNone(Scene(ACME).config["DB_CONNECTION_MUTATOR"])


class Refused(Exception):
    """Stands in for `SupersetSecurityException`."""


class Unreadable(Exception):
    """Stands in for `QueryClauseValidationException`."""


def sanitize_clause(clause: str, engine: str) -> str:
    """Formats a clause, as Superset does."""
    if clause.count("(") != clause.count(")"):
        raise Unreadable(clause)
    return clause.replace("amount>", f"amount > /* {engine} */ ").replace("\n", "")


MARGIN: dict[str, Any] = {"expressionType": "SQL", "sqlExpression": "sum(amount) * 2", "label": "margin"}
YEAR: dict[str, Any] = {"expressionType": "SQL", "sqlExpression": "extract(year from day)", "label": "year"}
LAYER: dict[str, Any] = {
    **{"annotationType": "EVENT", "sourceType": "table"},
    **{"value": 9, "overrides": {"time_range": None}},
}
XML = "max(query_to_xml('select * from sale', true, false, '')::text)"
PROBE = "has_database_privilege(product, 'connect')"
SHOWN: dict[str, Any] = {
    "groupby": ["upper(product)", YEAR],
    "metrics": ["count", MARGIN],
    "adhoc_filters": [
        {"expressionType": "SQL", "clause": "WHERE", "sqlExpression": "amount>1"},
        {"expressionType": "SQL", "clause": "WHERE", "sqlExpression": "product <> 'a' -- no a"},
        {"expressionType": "SIMPLE", "subject": "product", "sqlExpression": None},
    ],
    "annotation_layers": [{**LAYER, "name": "holidays", "show": True}],
}
SAVED: dict[str, Any] = {"queries": [{"extras": {"having": "(sum(amount) > 3)"}}]}
OTHER: dict[str, Any] = {"metrics": [{**MARGIN, "sqlExpression": "min(amount)"}]}
NATIVE: dict[str, Any] = {
    "native_filter_configuration": [
        {"targets": [{"datasetId": 1}], "adhoc_filters": [{"sqlExpression": "product > 'b'"}]},
        {"targets": [{"datasetId": 2}, {}], "adhoc_filters": [{"sqlExpression": "product > 'c'"}]},
    ]
}


def query(**more: Any) -> Any:
    """A query as Superset has it when it asks the security manager."""
    known: dict[str, Any] = {"columns": [], "metrics": None, "filter": [], "extras": {}}
    return SimpleNamespace(**{**known, "orderby": [], "annotation_layers": [], **more})


class Queries(unittest.TestCase):
    def setUp(self) -> None:
        columns = [SimpleNamespace(column_name=name) for name in ("product", "amount", "day")]
        engine = SimpleNamespace(db_engine_spec=SimpleNamespace(engine="postgresql"))
        self.dataset = SimpleNamespace(
            id=1,
            type="table",
            columns=columns,
            metrics=[SimpleNamespace(metric_name="count")],
            database=engine,
        )
        self.dashboard: Any = SimpleNamespace(
            uuid="d-1",
            json_metadata=json.dumps(NATIVE),
            slices=[
                self.chart(1, json.dumps(SHOWN), json.dumps(SAVED)),
                self.chart(1, None, None),
                self.chart(2, json.dumps(OTHER), None),
            ],
        )
        self.scene = Scene(ACME)
        self.scene.guest()
        found = mock.Mock()
        found.query.return_value.filter.return_value.one_or_none = lambda: self.dashboard
        self.scene.manager.session = found
        modules: dict[str, Any] = {
            "superset.exceptions": SimpleNamespace(SupersetSecurityException=Refused),
            "superset.models.dashboard": SimpleNamespace(Dashboard=mock.Mock()),
            "superset.sql.parse": SimpleNamespace(
                sanitize_clause=sanitize_clause, QueryClauseValidationException=Unreadable
            ),
        }
        patched = mock.patch.dict(sys.modules, modules)
        patched.start()
        self.addCleanup(patched.stop)

    def chart(self, dataset: int, params: str | None, query_context: str | None) -> Any:
        of = {"datasource_id": dataset, "datasource_type": "table"}
        return SimpleNamespace(params=params, query_context=query_context, **of)

    def ask(self, form_data: Any = None, **more: Any) -> None:
        given = {"dashboardId": 1, **(form_data or {})}
        context = SimpleNamespace(
            datasource=self.dataset, form_data=given, queries=[query(), query(**more)]
        )
        self.scene.manager.raise_for_access(query_context=context)

    def expect_refused(self, form_data: Any = None, **more: Any) -> None:
        with self.subTest(repr((form_data, more))):
            with self.assertLogs("user_group_service"), self.assertRaises(Refused):
                self.ask(form_data, **more)

    def test_a_guest_asks_for_names_and_for_what_charts_have(self) -> None:
        base_axis = {"columnType": "BASE_AXIS", "sqlExpression": "day", "label": "day"}
        simple = {"expressionType": "SIMPLE", "aggregate": "SUM", "column": {"column_name": "amount"}}
        where = "(amount > /* postgresql */ 1)"
        allowed: list[dict[str, Any]] = [
            {},
            {"columns": ["product", "__timestamp", base_axis], "metrics": ["count", simple]},
            {"columns": ["upper(product)", YEAR], "metrics": [MARGIN]},
            {"orderby": [(MARGIN, False), ("margin", True)], "series_limit_metric": MARGIN},
            {"filter": [{"col": YEAR, "op": "IN", "val": [2026]}]},
            {"filter": [{"col": "a column of another dataset", "op": "==", "val": "sqlExpression"}]},
            {"extras": {"where": "", "having": "(sum(amount) > 3)"}},
            {"extras": {"where": where}},
            {"extras": {"where": f"{where} AND (1 = 0) AND (product > 'b')"}},
            {"extras": {"where": "(amount>1) AND (product <> 'a' -- no a\n)"}},
            {"annotation_layers": [{**LAYER, "name": "another name"}]},
            {"post_processing": [{"operation": "pivot", "options": {"columns": ["margin"]}}]},
            {"form_data": SHOWN},
        ]
        for more in allowed:
            with self.subTest(repr(more)):
                self.ask(**more)

    def test_sql_of_a_guest_is_refused(self) -> None:
        own = {"expressionType": "SQL", "label": "margin", "sqlExpression": XML}
        simple = {"expressionType": "SIMPLE", "aggregate": "MAX", "column": {"column_name": "sale"}}
        wrong: list[dict[str, Any]] = [
            {"columns": [XML]},
            {"columns": [own]},
            {"columns": [{**own, "isColumnReference": True}]},
            {"columns": [{**own, "sqlExpression": {"a": XML}}]},
            {"columns": [{**own, "sqlExpression": [XML]}]},
            # A label is the text of the guest as well.
            {"columns": [XML], "metrics": [{**MARGIN, "label": XML}]},
            {"groupby": [XML]},
            {"metrics": [own]},
            {"metrics": [simple]},
            {"metrics": [{**own, "sqlExpression": "min(amount)"}]},
            {"orderby": [(own, True)]},
            {"series_columns": [own]},
            {"series_columns": [XML]},
            {"series_limit_metric": own},
            {"timeseries_limit_metric": own},
            {"series_limit_metric": XML},
            {"timeseries_limit_metric": XML},
            {"filter": [{"col": own, "op": "==", "val": 1}]},
            {"extras": {"where": PROBE}},
            {"extras": {"having": PROBE}},
            {"extras": {"where": f"(amount>1) AND {PROBE}"}},
            {"extras": {"where": f"{PROBE} AND (amount>1)"}},
            {"extras": {"where": "(amount>1) OR (amount>1)"}},
            {"extras": {"where": "(amount>1) AND "}},
            {"extras": {"where": "(amount>1) XOR (amount>1)"}},
            {"extras": {"where": "(product > 'c')"}},
            {"annotation_layers": [{**LAYER, "value": 10}]},
            {"annotation_layers": [{**LAYER, "overrides": {"metrics": [own]}}]},
            {"form_data": {"adhoc_filters": [{"expressionType": "SQL", "sqlExpression": PROBE}]}},
            {"form_data": {"where": PROBE}},
        ]
        for more in wrong:
            self.expect_refused(**more)

    def test_the_charts_are_those_of_a_dashboard_that_the_guest_sees(self) -> None:
        self.ask(metrics=[MARGIN])
        for dashboard_id in (None, "1", [1]):
            self.expect_refused({"dashboardId": dashboard_id}, metrics=[MARGIN])
        self.dashboard.uuid = "d-3"
        self.expect_refused(metrics=[MARGIN])
        self.dashboard = None
        self.expect_refused(metrics=[MARGIN])

    def test_a_chart_of_the_older_interface_is_held_to_the_same(self) -> None:
        def ask(form_data: dict[str, Any], **more: Any) -> None:
            viz = SimpleNamespace(
                datasource=self.dataset,
                form_data={"dashboardId": 1, **form_data},
                query_obj=lambda: vars(query(**more)),
            )
            self.scene.manager.raise_for_access(viz=viz)

        ask(SHOWN, groupby=["product", YEAR], metrics=[MARGIN])
        layers = {"annotation_layers": [{**LAYER, "value": 10}]}
        wrong: list[tuple[dict[str, Any], Any]] = [({}, [XML]), (layers, ["product"])]
        for form_data, groupby in wrong:
            with self.assertLogs("user_group_service"), self.assertRaises(Refused):
                ask(form_data, groupby=groupby)

    def test_somebody_who_is_no_guest_writes_sql(self) -> None:
        self.scene.manager.guest = None
        self.ask(columns=[XML], extras={"where": PROBE})

    def test_what_superset_refuses_stays_refused(self) -> None:
        with mock.patch.object(Base, "raise_for_access", side_effect=Refused):
            with self.assertRaises(Refused):
                self.ask()


class Arguments(unittest.TestCase):
    def test_what_keeps_nobody_apart_or_cannot_be_used_is_refused(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"rules": []},
            {"rules": [], "schema": "sales", "data_sources": {}},
            {"schema": "sales"},
            {"data_sources": {"a": "postgresql:///a"}},
            *(
                {"schema": "sales", "data_sources": {"a": "postgresql:///a", "b": uri}}
                for uri in ("mysql://b/b", "clickhousedb://b/b", "sqlite:///b", "postgresqls://b", "")
            ),
            {"dashboards": []},
            {"dashboards": "d-1"},
            {"rules": [REGION, rule("region", "region", "string[]", engine="sqlite")]},
        ]
        for options in wrong:
            with self.subTest(repr(options)), self.assertRaises(ValueError):
                security_manager(Base, **{**OPTIONS, **options})

    def test_settings_that_let_refused_viewers_see_rows_are_refused(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"GUEST_ROLE_NAME": "Public"},
            {"AUTH_ROLE_PUBLIC": "Guest"},
            {"FEATURE_FLAGS": {"GLOBAL_ASYNC_QUERIES": True}},
            {"DEFAULT_FEATURE_FLAGS": {"GLOBAL_ASYNC_QUERIES": True}},
        ]
        for config in wrong:
            with self.subTest(repr(config)), self.assertRaises(ValueError):
                Scene(ACME, config=config)

    def test_rules_that_cannot_be_used_are_refused(self) -> None:
        wrong: list[tuple[str, Any, Any]] = [
            ("region) OR (1", "string", "sqlite"),
            ("{{ region }}", "string", "sqlite"),
            ('"a"b"', "string", "sqlite"),
            ("", "string", "sqlite"),
            ("region", "string?", "sqlite"),
            ("region", "date", "sqlite"),
            ("region", "string", "oracle"),
        ]
        for column, type, engine in wrong:
            with self.subTest(column + str(type)), self.assertRaises(ValueError):
                rule(column, "region", type, engine=engine)


if __name__ == "__main__":
    unittest.main()
