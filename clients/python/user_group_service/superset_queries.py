"""Tells the SQL that a guest of Superset has written from that of the charts of a dashboard."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from .superset_rules import NO_ROWS

_NAMES_OR_SQL: Final = frozenset(
    ("columns", "groupby", "metrics", "series_columns", "series_limit_metric")
    + ("timeseries_limit_metric",)
)
"""The members of a query in which Superset takes each text that is no name for SQL."""

_SQL: Final = frozenset(("sqlExpression", "where", "having"))

_TIMESTAMP: Final = "__timestamp"
"""Superset's name of the column of time."""

_LAYER: Final = ("annotationType", "sourceType", "value", "overrides")
"""The members of an annotation layer that decide what is queried."""


def foreign_sql(manager: Any, asked: Any) -> str | None:
    """Returns a text of a request for rows that could be SQL of the guest; None if there is none.

    Names of columns and saved metrics of the dataset are no such texts, nor is what a chart on the
    dataset, or a native filter of it, has literally on the dashboard of the request.

    Args:
        manager: The security manager of Superset.
        asked: A `QueryContext`, or a `BaseViz`.
    """
    dataset = asked.datasource
    form_data: dict[str, Any] = asked.form_data or {}
    queries = getattr(asked, "queries", None)
    if queries is None:
        layers = {"annotation_layers": form_data.get("annotation_layers")}
        members = [asked.query_obj(), layers]
    else:
        members = [vars(query) for query in queries]
    known = {NO_ROWS, f"({NO_ROWS})", _TIMESTAMP}
    known.update(one.column_name for one in dataset.columns)
    known.update(one.metric_name for one in dataset.metrics)
    texts = [text for one in members for text in _texts_of(one, _NAMES_OR_SQL)]
    texts += _texts_of(form_data, frozenset())
    if known.issuperset(texts):
        return None
    stored = set(_stored(manager, dataset, form_data.get("dashboardId")))
    known |= stored
    unknown = [text for text in texts if text not in known]
    if not unknown:
        return None
    parts = _clauses_of(stored, dataset.database.db_engine_spec.engine)
    return next((text for text in unknown if not _consists_of(text, parts)), None)


def _texts_of(node: Any, names: frozenset[str]) -> Iterator[str]:
    """Finds each text that can be SQL, in a query and in a chart alike.

    Args:
        names: The members that have names or SQL.
    """
    pending: list[tuple[str, Any]] = [("", node)]
    while pending:
        key, value = pending.pop()
        if key == "post_processing":
            # It changes rows that have been read.
            continue
        if isinstance(value, (list, tuple)):
            pending += [(key, one) for one in value]
        elif isinstance(value, Mapping):
            if key in _SQL:
                yield str(value)
            if names and key == "column" and value.get("column_name") is not None:
                yield str(value["column_name"])
            if names and key == "annotation_layers":
                yield json.dumps([value.get(one) or None for one in _LAYER], sort_keys=True)
            pending += value.items()
        elif value and (key in _SQL or (key in names and isinstance(value, str))):
            yield str(value)


def _stored(manager: Any, dataset: Any, dashboard_id: object) -> Iterator[str]:
    """Finds the texts of charts and native filters of a dataset, on one dashboard of the guest."""
    if not isinstance(dashboard_id, int):
        return
    model = import_module("superset.models.dashboard").Dashboard
    dashboard = manager.session.query(model).filter(model.id == dashboard_id).one_or_none()
    if dashboard is None or not manager.has_guest_access(dashboard):
        return
    for chart in dashboard.slices:
        if (chart.datasource_id, chart.datasource_type) == (dataset.id, dataset.type):
            for text in (chart.params, chart.query_context):
                yield from _texts_of(json.loads(text or "{}"), _NAMES_OR_SQL)
    metadata = json.loads(dashboard.json_metadata or "{}")
    for one in metadata.get("native_filter_configuration") or []:
        if any(target.get("datasetId") == dataset.id for target in one.get("targets") or []):
            yield from _texts_of(one, _NAMES_OR_SQL)


def _clauses_of(stored: set[str], engine: str) -> set[str]:
    """Returns each text as pages write it into a condition, and as Superset formats it then."""
    parsing = import_module("superset.sql.parse")
    clauses: set[str] = set()
    for text in {*stored, NO_ROWS}:
        for clause in (text, f"({text})", f"({text}\n)"):
            clauses.add(clause)
            try:
                clauses.add(parsing.sanitize_clause(clause, engine))
            except parsing.QueryClauseValidationException:
                continue
    return clauses


def _consists_of(text: str, clauses: set[str]) -> bool:
    """Tells whether a text is one of the clauses, or some of them with AND between them."""
    joint = " AND "
    reached = {0}
    pending = [0]
    while pending:
        start = pending.pop()
        for clause in clauses:
            end = start + len(clause)
            if not text.startswith(clause, start):
                continue
            if end == len(text):
                return True
            following = end + len(joint)
            if text.startswith(joint, end) and following not in reached:
                reached.add(following)
                pending.append(following)
    return False
