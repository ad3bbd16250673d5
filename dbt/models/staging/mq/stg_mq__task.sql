{# Those below zero make totals unknown. #}
{% set times = [
    "wtasctsr",
    "wtasjwet",
    "wtasjcet",
    "wtasdbet",
    "wtassstc",
    "wtasmstc",
    "wtassmwt",
    "wtaspbhw",
] %}
{% for verb in ["ot", "cm", "ba", "pr", "su", "sq", "ct", "st"] %}
    {% do times.extend(["wtas" ~ verb ~ "et", "wtas" ~ verb ~ "ct"]) %}
{% endfor %}

with
    source as (select * from {{ source("mq", "smf116_wtas") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            wtasstrt as started_at_utc,
            {{ thread_id("wtasstrt", "wtasmthr", "wtaswtas") }} as thread_id,
            -- Which of the two is wrong is not known.
            case when wtasinte >= wtasints then wtasints end as interval_start_utc,
            case when wtasinte >= wtasints then wtasinte end as interval_end_utc,
            least(wtasints, wtasinte) as earliest_utc,
            greatest(wtasints, wtasinte) as latest_utc,
            {{ negative_times(times) }} as time_issue,
            wtaswqct as queues,
            wtasotn as other_count,
            {{ seconds("wtasotet") }} as other_elapsed_seconds,
            {{ seconds("wtasotct") }} as other_cpu_seconds,
            wtascmn as commit_count,
            {{ seconds("wtascmet") }} as commit_elapsed_seconds,
            {{ seconds("wtascmct") }} as commit_cpu_seconds,
            wtasban as backout_count,
            {{ seconds("wtasbaet") }} as backout_elapsed_seconds,
            {{ seconds("wtasbact") }} as backout_cpu_seconds,
            wtasprn as prepare_count,
            {{ seconds("wtaspret") }} as prepare_elapsed_seconds,
            {{ seconds("wtasprct") }} as prepare_cpu_seconds,
            wtassun as sub_count,
            {{ seconds("wtassuet") }} as sub_elapsed_seconds,
            {{ seconds("wtassuct") }} as sub_cpu_seconds,
            wtassqn as subrq_count,
            {{ seconds("wtassqet") }} as subrq_elapsed_seconds,
            {{ seconds("wtassqct") }} as subrq_cpu_seconds,
            wtasctn as ctl_count,
            {{ seconds("wtasctet") }} as ctl_elapsed_seconds,
            {{ seconds("wtasctct") }} as ctl_cpu_seconds,
            wtasstn as stat_count,
            {{ seconds("wtasstet") }} as stat_elapsed_seconds,
            {{ seconds("wtasstct") }} as stat_cpu_seconds,
            {{ seconds("wtasctsr") }} as ctl_srb_seconds,
            {{ seconds("wtastpet") }} as topic_elapsed_seconds,
            {{ seconds("wtastpct") }} as topic_cpu_seconds,
            {{ list_seconds("wtaslwet") }} as latch_wait_seconds,
            {{ list_total("wtaslwn") }} as latch_waits,
            {{ seconds("wtasjwet") }} as log_write_seconds,
            wtasjwn as log_writes,
            wtasjwb as log_bytes_written,
            {{ seconds("wtasjcet") }} as log_force_seconds,
            wtasjcn as log_forces,
            wtassusn as suspends,
            {{ seconds("wtassuse") }} as suspend_seconds,
            {{ seconds("wtaspse0") }} as page_set_zero_log_seconds,
            wtaspsn0 as page_set_zero_logs,
            {{ seconds("wtasdbet") }} as db2_task_seconds,
            {{ seconds("wtasdbes") }} as db2_server_seconds,
            wtasdbct as db2_requests,
            wtascsec as cf_single_calls,
            wtascmec as cf_multiple_calls,
            wtasrsec as cf_single_redrives,
            wtasrmec as cf_multiple_redrives,
            {{ seconds("wtassstc") }} as cf_single_seconds,
            {{ seconds("wtasmstc") }} as cf_multiple_seconds,
            wtassmrb as smds_read_bytes,
            wtassmwb as smds_write_bytes,
            {{ seconds("wtassmwt") }} as smds_wait_seconds,
            wtasgpo as page_gets_old,
            wtasgpn as page_gets_new,
            {{ seconds("wtaspbhw") }} as buffer_pool_latch_wait_seconds
        from source

    )

select *
from renamed
