{#- As in `top -c`: an agent's Java program has its names as properties; a queue manager's programs
    amqr... and amqz... have its name as their first option. -#}
{% set agent = "-Dcom[.]ibm[.]wmqfte[.]agent[.]name=(\\S{1,28})" %}
{% set coordination = "-Dcom[.]ibm[.]wmqfte[.]coord[.]name=(\\S{1,48})" %}
{% set manager = "^(?:\\S*/)?amq[rz]\\w* -m ?(\\S{1,48})" %}

with
    source as (select * from {{ source("bench", "bench_top_process") }}),

    renamed as (

        select
            -- ids
            source_id,
            record_no,

            -- text
            nullif(regexp_extract(command, '{{ agent }}', 1), '') as agent,
            nullif(regexp_extract(command, '{{ coordination }}', 1), '') as coordination_queue_manager,
            nullif(regexp_extract(command, '{{ manager }}', 1), '') as queue_manager
        from source

    )

select *
from renamed
