"""dbt's models get the CTEs of ephemeral models in front, as dbt itself would put them."""

from collections import namedtuple

import duckdb
import pytest

from app.pipeline.ctes import with_ctes

Cte = namedtuple("Cte", "id sql")
EPHEMERAL = [Cte("a", " one as (select 1 as n)"), Cte("b", " two as (select 2 as n)")]
QUERIES = {
    "with its own CTEs": "with own as (select * from one)\nselect * from own union all from two",
    "in capitals, after blank lines": "\n\n  WITH own as (from one) select n from own",
    "without CTEs": "select n from one union all select n from two",
    "after comments": "-- with care\n\n-- twice\nwith own as (from two) select * from own",
    "a column that begins with with": "select n as with_n from one",
}


@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_ctes_go_where_dbt_puts_them(sql):
    from dbt.compilation import inject_ctes_into_sql

    own = duckdb.sql(with_ctes(sql, EPHEMERAL)).fetchall()
    assert own == duckdb.sql(inject_ctes_into_sql(sql, EPHEMERAL)).fetchall()


def test_a_query_without_ephemeral_models_stays_as_it_is():
    assert with_ctes("select 1", []) == "select 1"


def test_dbt_still_has_what_is_replaced():
    from dbt import compilation

    assert callable(compilation.inject_ctes_into_sql)
