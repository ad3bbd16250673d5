with source as (

    select * from {{ source('mq', 'smf116_qwac') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qwacbsc as started_at_utc,
        qwacesc as ended_at_utc,
        {{ seconds('qwacejst') }} - {{ seconds('qwacbjst') }} as task_cpu_seconds,
        qwaccomm as commits,
        qwacback as backouts
    from source

)

select * from renamed
