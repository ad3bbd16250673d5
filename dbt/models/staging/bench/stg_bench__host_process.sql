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
            iteration as display,

            -- text
            regexp_matches(command, '^(\S*/)?java(\s|$)') as is_java,
            nullif(regexp_extract(command, '{{ agent }}', 1), '') as agent,
            nullif(regexp_extract(command, '{{ coordination }}', 1), '') as coordination_queue_manager,
            nullif(regexp_extract(command, '{{ manager }}', 1), '') as queue_manager,

            -- numerics
            try_cast(priority as double) as priority,
            nice,
            virtual_bytes,
            resident_bytes,
            shared_bytes,
            cpu_pct as cpu_percent,
            memory_pct as memory_percent,
            cpu_seconds
        from source

    )

select *
from renamed
