"""How many small statements a second of one core's time are bound by the Python client.

python3 bench/bind-variables.py
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "clients" / "python"))

from user_group_service import bind_variables

ROUNDS = 5
TIMES = 50_000
VARIABLES = {"region": "EMEA", "limits": {"amount": 2.5}, "countries": ["DE", "FR"]}
DECLARATIONS = {"region": "string", "limits.amount": "number", "countries": "string[]"}
STATEMENTS = {
    "one variable": "SELECT product FROM sale WHERE region = {{region}}",
    "three variables, one of them a list": "SELECT product FROM sale WHERE region = {{region}} "
    "AND amount > {{limits.amount}} AND country IN ({{countries}})",
}


def rate_of(sql: str, dialect: str) -> float:
    before = time.process_time()
    for _ in range(TIMES):
        bind_variables(sql, VARIABLES, dialect=dialect, declarations=DECLARATIONS)
    return TIMES / (time.process_time() - before)


for dialect in ("postgresql", "mysql", "clickhouse"):
    for name, sql in STATEMENTS.items():
        best = max(rate_of(sql, dialect) for _ in range(ROUNDS))
        print(f"{dialect}, {name}: {best:.0f} a second, the best of {ROUNDS} rounds")
