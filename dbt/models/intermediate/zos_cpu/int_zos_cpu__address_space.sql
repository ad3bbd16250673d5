{% set measures = address_space_measures() %}

with joined as (

    select
        record.source_id,
        record.record_no,
        load.origin,
        load.loaded_at_utc,
        coalesce(system.sysplex, '') as sysplex,
        record.* exclude (source_id, record_no),
        identification.* exclude (source_id, record_no),
        performance.* exclude (source_id, record_no),
        processor.* exclude (source_id, record_no),
        io.* exclude (source_id, record_no),
        storage.* exclude (source_id, record_no)
    from {{ ref('stg_zos_cpu__job_record') }} as record
    inner join {{ ref('stg_lake__load') }} as load using (source_id)
    inner join {{ ref('stg_zos_cpu__job_identification') }} as identification
        using (source_id, record_no)
    -- Excludes continuation records: they only continue lists and have no processor section.
    inner join {{ ref('stg_zos_cpu__job_processor') }} as processor using (source_id, record_no)
    left join {{ ref('stg_zos_cpu__job_performance') }} as performance using (source_id, record_no)
    left join {{ ref('stg_zos_cpu__job_io') }} as io using (source_id, record_no)
    left join {{ ref('stg_zos_cpu__job_storage') }} as storage using (source_id, record_no)
    left join {{ ref('stg_zos_cpu__job_system') }} as system using (source_id, record_no)

),

-- If overlapping dumps contain the same record, keep the one loaded first.
deduplicated as (

    select *
    from joined
    qualify row_number() over (
        partition by
            origin, sysplex, system_id, record_subtype, job_name, job_id, address_space_id,
            step_number, step_start_local, interval_start_utc, interval_end_utc, record_bytes
        order by loaded_at_utc, source_id, record_no
    ) = 1

),

-- A system address space that never had a full function start writes subtype 6, which counts from
-- its start. Its interval is the increase since its previous record, or NULL if records are
-- missing.
chained as (

    select
        *,
        {{ follows("interval_end_utc", "life") }}
        and coalesce(tcb_seconds >= lag(tcb_seconds) over life, false)
        and coalesce(srb_seconds >= lag(srb_seconds) over life, false) as follows
    from deduplicated
    window life as (
        partition by
            origin, sysplex, system_id, record_subtype, job_name, address_space_id,
            step_start_local
        order by interval_end_utc
    )

),

differenced as (

    select
        * exclude (follows) replace (
            case
                when record_subtype <> 6 then interval_start_utc
                when follows then lag(interval_end_utc) over life
            end as interval_start_utc,
            {% for measure in measures %}
            case
                when record_subtype <> 6 then {{ measure }}
                when follows then {{ measure }} - lag({{ measure }}) over life
            end as {{ measure }}{{ "," if not loop.last }}
            {% endfor %}
        )
    from chained
    window life as (
        partition by
            origin, sysplex, system_id, record_subtype, job_name, address_space_id,
            step_start_local
        order by interval_end_utc
    )

),

summed as (

    select
        *,
        epoch(interval_end_utc - interval_start_utc) as interval_seconds,
        -- Only the two large kinds of CPU time, TCB and SRB, must be valid.
        case
            when tcb_seconds is not null and srb_seconds is not null
                then {{ total([
                    "tcb_seconds", "srb_seconds", "initiator_seconds", "io_interrupt_seconds",
                    "region_control_seconds", "hiperspace_seconds",
                ]) }}
        end as general_purpose_seconds,
        ziip_seconds * coalesce(ziip_factor, 1) as ziip_cp_equivalent_seconds,
        coalesce(
            interval_start_utc + (interval_end_utc - interval_start_utc) / 2,
            interval_end_utc - interval 1 second
        ) as middle_utc
    from differenced

),

-- A record that names no sysplex belongs to the only one that has its system on that day.
only_sysplex as (

    select
        origin,
        system_id,
        day_utc,
        min(sysplex) as sysplex
    from (
        select origin, system_id, sysplex, cast(interval_start_utc as date) as day_utc
        from {{ days(ref('int_zos_cpu__interval'), around=1) }}
        union
        select origin, system_id, sysplex, cast(interval_end_utc as date) as day_utc
        from {{ days(ref('int_zos_cpu__interval'), around=1) }}
    )
    group by origin, system_id, day_utc
    having count(*) = 1

),

placed as (

    select summed.* replace (
        coalesce(nullif(summed.sysplex, ''), only_sysplex.sysplex, '') as sysplex
    )
    from summed
    left join only_sysplex
        on
            summed.origin = only_sysplex.origin
            and summed.system_id = only_sysplex.system_id
            and cast(summed.middle_utc as date) = only_sysplex.day_utc

),

with_rmf_interval as (

    select
        placed.* exclude (middle_utc),
        case when placed.middle_utc < rmf.interval_end_utc then rmf.interval_start_utc end
            as rmf_interval_start_utc,
        case when placed.middle_utc < rmf.interval_end_utc then rmf.interval_end_utc end
            as rmf_interval_end_utc,
        case when placed.middle_utc < rmf.interval_end_utc then rmf.utc_offset_minutes end
            as utc_offset_minutes
    from placed
    asof left join {{ days(ref('int_zos_cpu__interval'), around=1) }} as rmf
        on
            placed.origin = rmf.origin
            and placed.sysplex = rmf.sysplex
            and placed.system_id = rmf.system_id
            and placed.middle_utc >= rmf.interval_start_utc

)

select
    *,
    -- Whether the record's interval lies within RMF's: the two may not be synchronized.
    interval_start_utc >= rmf_interval_start_utc - interval 2 seconds
    and interval_end_utc <= rmf_interval_end_utc + interval 2 seconds as aligned
from with_rmf_interval
