with reading as (

    select * from {{ days(ref('int_zos_devices__counter_reading')) }}

),

counter as (

    select * from {{ ref('stg_zos_devices__counter') }}

),

-- Subtype 2 lists counters in the order of the sets; each set says how many it has.
counter_set as (

    select
        found.*,
        known.first_counter,
        coalesce(
            sum(found.counters) over (
                partition by found.source_id, found.record_no
                order by found.section_no
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as counters_before
    from {{ ref('stg_zos_devices__counter_set') }} as found
    left join {{ ref('hardware_counter_set') }} as known using (set_type)

),

in_order as (

    select
        counter.source_id,
        counter.record_no,
        counter_set.first_counter
        + row_number() over (
            partition by counter.source_id, counter.record_no, counter.set_no
            order by counter.section_no
        )
        - 1 as counter_number,
        counter.counter_value
    from counter
    inner join counter_set
        on
            counter.source_id = counter_set.source_id
            and counter.record_no = counter_set.record_no
            and counter.set_no = counter_set.section_no
    where counter_set.first_counter is not null
    union all
    select
        counter.source_id,
        counter.record_no,
        counter_set.first_counter + counter.section_no - 1 - counter_set.counters_before
            as counter_number,
        counter.counter_value
    from counter
    inner join counter_set
        on
            counter.source_id = counter_set.source_id
            and counter.record_no = counter_set.record_no
            and counter.section_no > counter_set.counters_before
            and counter.section_no <= counter_set.counters_before + counter_set.counters
    where counter.set_no is null and counter_set.first_counter is not null

),

-- If two sets of a record claim the same counter, nobody knows which is right.
numbered as (

    select
        source_id,
        record_no,
        counter_number,
        case when count(*) = 1 then max(counter_value) end as counter_value
    from in_order
    group by source_id, record_no, counter_number

),

increase as (

    select
        reading.source_id,
        reading.record_no,
        numbered.counter_number,
        numbered.counter_value - coalesce(last.counter_value, 0) as counter_increase
    from reading
    inner join numbered using (source_id, record_no)
    left join numbered as last
        on
            reading.last_source_id = last.source_id
            and reading.last_record_no = last.record_no
            and numbered.counter_number = last.counter_number
    where reading.last_record_no is null or last.counter_value is not null

)

select
    source_id,
    record_no,
    cast(counter_number as integer) as counter_number,
    -- A decrease, or an increase beyond 2^53, is corrupt data.
    case
        when counter_increase between 0 and 9007199254740991
            then cast(counter_increase as double)
    end as counter_increase
from increase
