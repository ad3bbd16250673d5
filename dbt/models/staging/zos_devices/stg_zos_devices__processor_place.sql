with source as (

    select * from {{ source('zos_devices', 'smf70_1_prsm_logical_processor') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        smf70vpa as cpu_id,
        smf70cix as kind_no,
        {{ seconds('smf70ont') }} as online_seconds,
        smf70maxnl as nesting_levels,
        [
            {% for level in nesting_levels() %}
            smf70cordl{{ level }}{{ "," if not loop.last }}
            {% endfor %}
        ] as place
    from source

)

select * from renamed
