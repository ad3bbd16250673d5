with
    figure as (

        select
            *,
            cast(interval_start_local as date) as local_date,
            struct_pack(source_id := source_id, record_no := record_no) as record,
            coalesce(interval_start_utc, interval_start_local) as started
        from {{ days(ref("fct_rmf_report_figure"), around=1) }}

    )

select
    origin,
    min(record).source_id as source_id,
    min(record).record_no as record_no,
    sysplex,
    system_id,
    local_date,
    subject_kind,
    subject,
    figure,
    unit,
    count(*) as figures,
    count(recorded) as figures_compared,
    count(*) filter (not agrees) as figures_different,
    sum(printed) as printed_total,
    min(started) as first_interval_start,
    max(started + to_seconds(interval_seconds)) as last_interval_end
from figure
group by all
