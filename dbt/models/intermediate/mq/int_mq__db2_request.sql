{% set request_types = [
    "delete",
    "list",
    "read",
    "update",
    "write",
    "state_select",
    "state_insert",
    "state_update",
    "state_delete",
    "key_select",
    "key_insert",
    "key_delete",
    "blob_select",
    "blob_insert",
    "blob_update",
    "blob_delete",
    "blob_list",
] %}

with
    record as (select source_id, record_no from {{ days(ref("int_mq__record")) }} where record_type = 115),

    db2_manager as (select * from {{ source("staging", "mq__db2_manager") }} where section_no = 1),

    unpivoted as (

        select
            source_id,
            record_no,
            unnest(
                [
                    {% for type in request_types %}
                        struct_pack(
                            request_type := '{{ type }}',
                            requests := db2_{{ type }}_requests,
                            task_seconds := db2_{{ type }}_task_seconds,
                            task_max_seconds := db2_{{ type }}_task_max_seconds,
                            server_seconds := db2_{{ type }}_server_seconds
                        ){{ "," if not loop.last }}
                    {% endfor %}
                ],
                recursive := true
            )
        from db2_manager

    )

select unpivoted.*
from record
inner join unpivoted using (source_id, record_no)
