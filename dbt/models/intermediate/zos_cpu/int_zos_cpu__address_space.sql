{% set measures = address_space_measures() %}
{# Kinds of CPU time, and the processors that give it. A zIIP that runs two threads counts as two at
   most. #}
{% set limits = {
    "tcb_seconds": "cps_online",
    "srb_seconds": "cps_online",
    "initiator_seconds": "cps_online",
    "io_interrupt_seconds": "cps_online",
    "region_control_seconds": "cps_online",
    "hiperspace_seconds": "cps_online",
    "preemptable_srb_seconds": "cps_online",
    "independent_enclave_seconds": "cps_online",
    "dependent_enclave_seconds": "cps_online",
    "ziip_on_cp_seconds": "cps_online",
    "ziip_seconds": "2 * ziips_online",
} %}

{% set step = (
    "origin, sysplex, system_id, record_subtype in (2, 3), job_name, job_id,"
    ~ " address_space_id, step_number, step_start_local"
) %}

with
    joined as (

        select
            record.*,
            coalesce(system.sysplex, '') as sysplex,
            header.work_type,
            identification.* exclude (source_id, record_no),
            performance.* exclude (source_id, record_no),
            processor.* exclude (source_id, record_no),
            io.* exclude (source_id, record_no),
            storage.* exclude (source_id, record_no),
            container.* exclude (source_id, record_no)
        from {{ ref("stg_lake__record") }} as record
        inner join
            {{ source("staging", "zos_cpu__job_identification") }} as identification using (
                source_id, record_no
            )
        -- Excludes continuation records: they only continue lists and have no processor section.
        inner join {{ ref("stg_zos_cpu__job_processor") }} as processor using (source_id, record_no)
        left join
            {{ source("staging", "zos_cpu__job_performance") }} as performance using (source_id, record_no)
        left join {{ ref("stg_zos_cpu__job_io") }} as io using (source_id, record_no)
        left join {{ source("staging", "zos_cpu__job_storage") }} as storage using (source_id, record_no)
        left join {{ source("staging", "zos_cpu__job_container") }} as container using (source_id, record_no)
        left join {{ source("staging", "zos_cpu__job_system") }} as system using (source_id, record_no)
        left join {{ source("staging", "zos_cpu__job_header") }} as header using (source_id, record_no)
        anti join {{ ref("int_lake__contradiction") }} as contradiction using (source_id, record_no)
        where record.record_type = 30 and record.record_subtype in (2, 3, 6)

    ),

    ahead as (

        {{
            clocks_ahead(
                "(select * from joined where record_subtype in (2, 3))",
                "interval_start_utc",
                "interval_start_local",
                by="origin, sysplex, system_id",
                latest=false,
            )
        }}

    ),

    synchronized as (

        select
            joined.* exclude (interval_start_local) replace (
                {{ in_utc("joined.interval_start_utc", "ahead") }} as interval_start_utc,
                {{ in_utc("joined.interval_end_utc", "ahead") }} as interval_end_utc
            ),
            ahead.leap_seconds
        from joined
        left join
            ahead
            on joined.origin = ahead.origin
            and joined.sysplex = ahead.sysplex
            and joined.system_id = ahead.system_id
            and cast(coalesce(joined.interval_start_utc, joined.interval_end_utc) as date) = ahead.day_utc

    ),

    -- An interval that ends before it starts counts as unknown.
    ordered as (

        select
            * replace (
                case when not backwards then interval_start_utc end as interval_start_utc,
                case when not backwards then interval_end_utc end as interval_end_utc
            ),
            case when backwards then interval_start_utc end as told_start_utc,
            case when backwards then interval_end_utc end as told_end_utc
        from
            (
                select
                    *,
                    coalesce(
                        record_subtype <> 6 and interval_end_utc < interval_start_utc, false
                    ) as backwards
                from synchronized
            )

    ),

    -- A system address space that never had a full function start writes subtype 6, which counts from
    -- its start. Its interval is the increase since its previous record, or NULL if records are
    -- missing.
    chained as (

        select
            *,
            record_subtype = 6
            and {{ follows("interval_end_utc", "life") }}
            and coalesce(
                tcb_seconds < lag(tcb_seconds) over life or srb_seconds < lag(srb_seconds) over life, false
            ) as has_fallen,
            case
                when {{ follows("interval_end_utc", "life") }} then lag(interval_end_utc) over life
            end as counted_before_utc,
            {{ follows("interval_end_utc", "life") }}
            and coalesce(tcb_seconds >= lag(tcb_seconds) over life, false)
            and coalesce(srb_seconds >= lag(srb_seconds) over life, false) as follows
        from ordered
        window
            life as (
                partition by
                    origin, sysplex, system_id, record_subtype, job_name, address_space_id, step_start_local
                order by interval_end_utc, source_id, record_no
            )

    ),

    differenced as (

        select
            * exclude (follows) replace (
                case
                    when record_subtype <> 6
                    then interval_start_utc
                    when follows
                    then lag(interval_end_utc) over life
                end as interval_start_utc,
                {% for measure in measures %}
                    case
                        when record_subtype <> 6
                        then {{ measure }}
                        when follows
                        then {{ measure }} - lag({{ measure }}) over life
                    end as {{ measure }}{{ "," if not loop.last }}
                {% endfor %}
            )
        from chained
        window
            life as (
                partition by
                    origin, sysplex, system_id, record_subtype, job_name, address_space_id, step_start_local
                order by interval_end_utc, source_id, record_no
            )

    ),

    neighbouring as (

        select
            *,
            max(interval_end_utc) over before as earlier_end_utc,
            count(*) over later as later_records,
            lead(interval_start_utc) over later as later_start_utc
        from differenced
        window
            before as (
                partition by {{ step }}
                order by interval_start_utc, interval_end_utc, source_id, record_no
                rows between unbounded preceding and 1 preceding
            ),
            later as (
                partition by {{ step }}
                order by interval_start_utc, interval_end_utc, source_id, record_no
                rows between 1 following and unbounded following
            )

    ),

    -- Each interval record of a step starts where the last one ended, or else some are missing. Days
    -- without any are not: a step may outlast what is loaded, and a build reads days around its own.
    timed as (

        select
            * exclude (earlier_end_utc, later_records, later_start_utc),
            epoch(interval_end_utc - interval_start_utc) as interval_seconds,
            coalesce(
                interval_start_utc + (interval_end_utc - interval_start_utc) / 2,
                interval_end_utc - interval 1 second
            ) as middle_utc,
            case
                when
                    record_subtype in (2, 3)
                    and interval_start_utc > earlier_end_utc + interval 2 second
                    and interval_start_utc <= earlier_end_utc + interval 1 day
                then earlier_end_utc
            end as hole_start_utc,
            coalesce(interval_start_utc <= earlier_end_utc + interval 2 second, false) as goes_on,
            -- The last interval of a step has subtype 3.
            record_subtype = 2
            and (
                later_records = 0 or coalesce(later_start_utc > interval_end_utc + interval 1 day, false)
            ) as is_last
        from neighbouring

    ),

    -- Where the records of a step stop and those of other steps of the system go on, some are missing.
    stopped as (

        select distinct last.source_id, last.record_no
        from (select * from timed where is_last) as last
        inner join
            (select * from timed where goes_on and record_subtype in (2, 3)) as other
            on last.origin = other.origin
            and last.sysplex = other.sysplex
            and last.system_id = other.system_id
            and other.interval_start_utc
            between last.interval_end_utc - interval 2 second and last.interval_end_utc + interval 2 second
            and other.interval_seconds >= 0.9 * last.interval_seconds

    ),

    -- A record without a sysplex belongs to the one that had its system that day, if there is only one.
    only_sysplex as (

        select origin, system_id, day_utc, min(sysplex) as sysplex
        from
            (
                select origin, system_id, sysplex, cast(interval_start_utc as date) as day_utc
                from {{ days(ref("int_zos_cpu__interval"), around=1) }}
                union
                select origin, system_id, sysplex, cast(interval_end_utc as date) as day_utc
                from {{ days(ref("int_zos_cpu__interval"), around=1) }}
            )
        group by origin, system_id, day_utc
        having count(*) = 1

    ),

    placed as (

        select
            timed.* exclude (goes_on, is_last) replace (
                coalesce(nullif(timed.sysplex, ''), only_sysplex.sysplex, '') as sysplex
            ),
            stopped.source_id is not null as stops_early
        from timed
        left join stopped using (source_id, record_no)
        left join
            only_sysplex
            on timed.origin = only_sysplex.origin
            and timed.system_id = only_sysplex.system_id
            and cast(coalesce(timed.middle_utc, timed.told_start_utc) as date) = only_sysplex.day_utc

    ),

    -- The longest is used, and of equally long ones the last written.
    overlapping as (

        {{
            overlaps(
                "(select * from placed where interval_start_utc is not null and address_space_id > 0)",
                "origin, sysplex, system_id, job_name, address_space_id",
                "source_id, record_no",
                "interval_seconds desc, smf_time_local desc, load_no, record_no",
            )
        }}

    ),

    with_rmf_interval as (

        select
            placed.* exclude (middle_utc),
            case
                when overlapping.used is not null
                then
                    struct_pack(
                        source_id := overlapping.used.source_id, record_no := overlapping.used.record_no
                    )
            end as used_record,
            overlapping.used is null as usable,
            case
                when placed.middle_utc < rmf.interval_end_utc then rmf.interval_start_utc
            end as rmf_interval_start_utc,
            case
                when placed.middle_utc < rmf.interval_end_utc then rmf.interval_end_utc
            end as rmf_interval_end_utc,
            case
                when placed.middle_utc < rmf.interval_end_utc then rmf.utc_offset_minutes
            end as utc_offset_minutes,
            case when placed.middle_utc < rmf.interval_end_utc then rmf.source_id end as rmf_source_id,
            case when placed.middle_utc < rmf.interval_end_utc then rmf.record_no end as rmf_record_no
        from placed
        asof left join
            {{ days(ref("int_zos_cpu__interval"), around=1) }} as rmf
            on placed.origin = rmf.origin
            and placed.sysplex = rmf.sysplex
            and placed.system_id = rmf.system_id
            and placed.middle_utc >= rmf.interval_start_utc
        left join
            overlapping
            on placed.source_id = overlapping.source_id
            and placed.record_no = overlapping.record_no

    ),

    -- The number of processors of a system: an address space cannot use more time than they have.
    online as (

        select
            source_id as rmf_source_id,
            record_no as rmf_record_no,
            {% for type, prefix in [("CP", "cp"), ("zIIP", "ziip")] %}
                max(coalesce(online_seconds, online_thread_seconds) / interval_seconds) filter (
                    where processor_type = '{{ type }}'
                ) as {{ prefix }}s_online{{ "," if not loop.last }}
            {% endfor %}
        from {{ days(ref("int_zos_cpu__processor_total"), around=1) }}
        group by source_id, record_no

    ),

    checked as (

        select
            with_rmf_interval.* exclude (rmf_source_id, rmf_record_no),
            online.cps_online,
            online.ziips_online,
            nullif(
                concat_ws(
                    ', ',
                    {% for measure, most in limits.items() %}
                        case
                            when {{ impossible_time(measure, most) }}
                            then
                                '{{ measure[:-8] | replace("_", " ") }} ' || format('{:.6g} s', {{ measure }})
                        end{{ "," if not loop.last }}
                    {% endfor %}
                ),
                ''
            ) as impossible
        from with_rmf_interval
        left join online using (rmf_source_id, rmf_record_no)

    ),

    valid as (

        select
            * exclude (impossible) replace (
                {% for measure, most in limits.items() %}
                    case
                        when not {{ impossible_time(measure, most) }} then {{ measure }}
                    end as {{ measure }}{{ "," if not loop.last }}
                {% endfor %}
            ),
            case
                when impossible is not null
                then
                    concat_ws(
                        ' ',
                        impossible,
                        format('in {:.6g} s', interval_seconds),
                        format('on {:.3g} CPs', cps_online),
                        format('and {:.3g} zIIPs', ziips_online)
                    )
            end as cpu_issue
        from checked

    )

select
    * exclude (load_no),
    -- Only the two large kinds of CPU time, TCB and SRB, must be valid.
    case
        when tcb_seconds is not null and srb_seconds is not null
        then
            {{
                total(
                    [
                        "tcb_seconds",
                        "srb_seconds",
                        "initiator_seconds",
                        "io_interrupt_seconds",
                        "region_control_seconds",
                        "hiperspace_seconds",
                    ]
                )
            }}
    end as general_purpose_seconds,
    ziip_seconds * coalesce(ziip_factor, 1) as ziip_cp_equivalent_seconds,
    -- Whether the record's interval lies within RMF's: the two may not be synchronized.
    interval_start_utc >= rmf_interval_start_utc - interval 2 seconds
    and interval_end_utc <= rmf_interval_end_utc + interval 2 seconds as aligned
from valid
