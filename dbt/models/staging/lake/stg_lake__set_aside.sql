select source_id, model, fact, rows_failed from {{ source("meta", "set_aside") }}
