"""Predictions of the models of published systems for the configurations of runs."""

# Modelled metrics, with the unit that the models return.
MODELLED = {
    "rate": "MB/s",
    "cost_per_GB": "CPU s/GB",
    "ziip_share": "%",
    "NETTIME": "ms",
} | dict.fromkeys(("Agent1-CPU", "Agent2-CPU", "AgentQ-CPU", "Coord-CPU"), "%")
SCHEMA = (
    "configuration_id VARCHAR, metric VARCHAR, unit VARCHAR, document_id VARCHAR, "
    "predicted DOUBLE, low DOUBLE, high DOUBLE"
)


def model(dbt, session):
    """Build the table of predictions; see predictions()."""
    dbt.config(materialized="table")
    configurations = dbt.ref("int_runs__configuration").pl()
    session.sql(f"CREATE OR REPLACE TEMP TABLE predicted ({SCHEMA})")
    if configurations.height:
        session.register("answers", predictions(configurations).to_arrow())
        session.sql("INSERT INTO predicted BY NAME SELECT * FROM answers")
    return session.sql("SELECT * FROM predicted")


def predictions(configurations):
    """Return one row per configuration and metric that a model covers, in the units of MODELLED."""
    import polars as pl

    from models_sim.predict import predict

    # Document 002 covers transfers between Linux machines and distinguishes single from concurrent
    # transfers. Document 000 covers other transfers with a source, and 001 covers the rest.
    document = (
        pl.when(pl.col("transfer").is_not_null())
        .then(pl.lit("002"))
        .when(pl.col("source").is_not_null())
        .then(pl.lit("000"))
        .otherwise(pl.lit("001"))
    )
    cells = configurations.with_columns(document=document).join(
        pl.DataFrame({"metric": list(MODELLED), "unit": list(MODELLED.values())}), how="cross"
    )
    megabits = (pl.col("document") == "002") & (pl.col("metric") == "rate")
    scale = pl.when(megabits).then(0.125).otherwise(1.0)
    return (
        predict(cells.drop("x_factors", "origins"))
        .filter(pl.col("predicted").is_not_null())
        .select(
            *("configuration_id", "metric", "unit", pl.col("document").alias("document_id")),
            *(pl.col(name) * scale for name in ("predicted", "low", "high")),
        )
    )
