-- What in the records of devices and counters cannot be right.
{{ findings() }}

{% call finding("leap_seconds") %}
select
    origin,
    {{ first_record(["interval_start_utc"]) }},
    system_id,
    min(interval_start_utc) as start_utc,
    max(interval_end_utc) as end_utc,
    format(
        'type 113: the clock is {:.0f} s ahead of local times, as it counts leap seconds (CVTLSO)',
        leap_seconds
    ) as found
from {{ days(ref('int_zos_devices__counter_reading'), around=1) }}
where leap_seconds is not null
group by origin, system_id, leap_seconds, cast(interval_start_utc as date)
{% endcall %}

{% call finding("counters_decreased") %}
select
    reading.origin,
    reading.source_id,
    reading.record_no,
    reading.system_id,
    reading.interval_start_utc as start_utc,
    reading.interval_end_utc as end_utc,
    reading.processor_type || ' ' || reading.cpu_id as subject,
    format(
        'type 113: counters that are less than before, above 2^53, or there twice: {}, the first'
        || ' is number {}', counter.counters, counter.first_counter
    ) as found
from {{ days(ref('int_zos_devices__counter_reading'), around=1) }} as reading
inner join (
    select
        source_id,
        record_no,
        count(*) as counters,
        min(counter_number) as first_counter
    from {{ days(ref('int_zos_devices__counter'), around=1) }}
    where counter_increase is null
    group by source_id, record_no
) as counter using (source_id, record_no)
{% endcall %}

{% call finding("counters_missing") %}
select
    origin,
    source_id,
    record_no,
    system_id,
    interval_start_utc as start_utc,
    interval_end_utc as end_utc,
    format(
        'type 113: no counters of {} in the interval, as their record is missing or covers other times',
        array_to_string(list_sort(lacking_processors), ', ')
    ) as found
from {{ days(ref('int_zos_devices__hardware'), around=1) }}
where processor_type = 'all' and lacking_processors is not null
{% endcall %}

{% call finding("data_set_records_missing") %}
select
    origin,
    {{ first_record(["written_at_utc"]) }},
    system_id,
    missing_until_utc - to_microseconds(cast(1e6 * missing_seconds as bigint)) as start_utc,
    missing_until_utc as end_utc,
    format('type 42: no interval records of data sets for {:.6g} s', missing_seconds) as found
from {{ days(ref('int_zos_devices__data_set_record'), around=1) }}
where missing_until_utc is not null
group by origin, system_id, missing_until_utc, missing_seconds
{% endcall %}
