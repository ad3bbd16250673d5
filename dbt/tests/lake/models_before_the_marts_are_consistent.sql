{{ consistent_models(
    [
        "stg_lake__load", "stg_published__cell",
        "int_mq__record", "int_published__claim_pair", "int_published__comparable",
        "int_rmf__record", "int_runs__coverage", "int_runs__interval", "int_runs__system",
        "int_runs__transfer", "int_zos_capacity__demand", "int_zos_capacity__partition",
        "int_zos_cpu__class_period", "int_zos_cpu__interval", "int_zos_cpu__logical_processor",
        "int_zos_devices__counted_processor", "int_zos_devices__counter",
        "int_zos_devices__topology",
    ],
    also=["published_claim_method"],
) }}
