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
    "compared_with_machine VARCHAR, predicted DOUBLE, low DOUBLE, high DOUBLE"
)
# What a metric of a model is called for runs with these transactions.
OF_TRANSACTION = {"repository load": ("repo_init", "transfer_time", "s")}
# Metrics of fct_relative_measurement, with their unit.
RELATIVE = {
    "change_of_rate": "%",
    "change_of_cost_per_transaction": "%",
    "change_of_cost_per_transaction_of_workload": "%",
    "secret_key_cost": "CPU us",
}


def model(dbt, session):
    """Build the table of predictions; see predictions() and of_figures()."""
    dbt.config(materialized="table")
    runs = dbt.ref("int_runs__configuration")
    configurations = runs.pl()
    matched = dbt.ref("int_runs__published").pl()
    printed = as_read(dbt.ref("int_published__cell").pl())
    metrics, units = dbt.ref("run_metric").pl(), dbt.ref("run_unit").pl()
    session.sql(f"CREATE OR REPLACE TEMP TABLE predicted ({SCHEMA})")
    if configurations.height:
        found = predictions(configurations)
        of_runs = relative(metrics.select("metric", "unit")).join(units, on="unit")
        further = of_figures(matched, printed, of_runs)
        further = further.join(found, on=["configuration_id", "metric"], how="anti")
        for answers in (found, further):
            session.register("answers", answers.to_arrow())
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
    named = configurations.with_columns(document=document)
    cells = named.join(
        pl.DataFrame({"metric": list(MODELLED), "unit": list(MODELLED.values())}), how="cross"
    ).with_columns(pl.col("metric").alias("asked"))
    for transaction, (asked, metric, unit) in OF_TRANSACTION.items():
        further = named.filter(transaction=transaction).with_columns(
            metric=pl.lit(metric), unit=pl.lit(unit), asked=pl.lit(asked)
        )
        cells = pl.concat([cells, further], how="diagonal_relaxed")
    names = cells.select("metric", "unit").get_columns()
    cells = cells.with_columns(metric="asked")
    megabits = (pl.col("document") == "002") & (pl.col("metric") == "rate")
    scale = pl.when(megabits).then(0.125).otherwise(1.0)
    return (
        predict(cells.drop("x_factors", "origins", "asked", "unit"))
        .with_columns(names)
        .filter(pl.col("predicted").is_not_null())
        .select(
            *("configuration_id", "metric", "unit", pl.col("document").alias("document_id")),
            *(pl.col(name) * scale for name in ("predicted", "low", "high")),
        )
    )


def relative(metrics):
    """Return the metrics of runs and those of fct_relative_measurement, with their units."""
    import polars as pl

    further = pl.DataFrame({"metric": list(RELATIVE), "unit": list(RELATIVE.values())})
    return pl.concat([metrics, further])


def as_read(cells):
    """Return published figures in the columns that the models read."""
    import polars as pl

    def flag(name):
        return pl.when(pl.col(name)).then(pl.lit("Y")).when(~pl.col(name)).then(pl.lit("N"))

    renamed = {
        "document_id": "document", "source_system": "source", "target_system": "target",
        "queue_type": "queue", "compression": "compmsg", "batch_interval_ms": "batchint",
        "chunk_size_bytes": "chunk_size", "latency_ms_one_way": "latency_ms_oneway",
        "loss_percent": "loss_pct", "relative_nest_intensity": "rni",
        "compared_with_machine": "compared_with",
    }  # fmt: skip
    return cells.rename(renamed).with_columns(
        pl.col("tls", "ams", "compmsg").replace("none", "N"),
        zhpf=flag("zhpf"),
        md5=flag("md5"),
        p2wg=flag("put_to_waiting_getter"),
        ziip_offload=flag("is_after_ziip_offload"),
    )


def of_figures(matched, printed, metrics):
    """Return predictions of the figures that runs are compared with, as predictions() does.

    matched: rows of int_runs__published; printed: all published figures, from as_read();
    metrics: metrics of runs, with their unit, its standard unit and the factor to it.
    """
    import polars as pl

    from models_sim.base.cells import normalise
    from models_sim.models.stated.mft import STATED_MFT
    from models_sim.models.stated.systems import STATED_SYSTEMS
    from models_sim.predict import predict

    known = printed.filter(pl.col("cell_id").is_in(matched["cell_id"].implode()))
    cells = normalise(known)
    # These repeat what is printed.
    repeated = STATED_MFT.covers(cells) | STATED_SYSTEMS.covers(cells)
    answers = predict(known.filter(~repeated)).filter(
        pl.col("predicted").is_not_null(), pl.col("value") != 0
    )
    scale = pl.col("standard_value") / pl.col("value") / pl.col("factor")
    return (
        matched.filter(pl.col("address_space").is_null())
        .join(
            answers.select("cell_id", "protocol", "value", "predicted", "low", "high"), on="cell_id"
        )
        .join(metrics, on=["metric", "standard_unit"])
        # What was measured with the protocol goes before what a document expects of any.
        .sort("configuration_id", "metric", pl.col("protocol") == "expected", "cell_id")
        .unique(["configuration_id", "metric"], keep="first", maintain_order=True)
        .select(
            *("configuration_id", "metric", "unit", "document_id", "compared_with_machine"),
            *((pl.col(name) * scale).alias(name) for name in ("predicted", "low", "high")),
        )
    )
