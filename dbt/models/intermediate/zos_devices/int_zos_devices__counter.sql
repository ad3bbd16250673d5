with
    reading as (select * from {{ days(ref("int_zos_devices__counter_reading")) }}),

    -- Number the records: there are millions of counters, and their file names would take up most of
    -- the memory.
    counted as materialized(

        select source_id, record_no, row_number() over () as counted_no
        from
            (
                select source_id, record_no
                from reading
                union
                select last_source_id, last_record_no
                from reading
                where last_record_no is not null
            )

    ),

    increased as (

        select
            counted.counted_no,
            last.counted_no as last_no,
            reading.last_record_no is not null as is_cumulative
        from reading
        inner join counted using (source_id, record_no)
        left join
            counted as last
            on reading.last_source_id = last.source_id
            and reading.last_record_no = last.record_no

    ),

    counter as (

        select counted.counted_no, counter.set_no, counter.section_no, counter.counter_value
        from {{ ref("stg_zos_devices__counter") }} as counter
        inner join counted using (source_id, record_no)

    ),

    -- Subtype 2 lists counters in the order of the sets; each set says how many it has.
    counter_set as (

        select
            counted.counted_no,
            found.section_no as set_no,
            found.counters,
            known.first_counter,
            coalesce(
                sum(found.counters) over (
                    partition by counted.counted_no
                    order by found.section_no
                    rows between unbounded preceding and 1 preceding
                ),
                0
            ) as counters_before
        from {{ ref("stg_zos_devices__counter_set") }} as found
        inner join counted using (source_id, record_no)
        left join {{ ref("hardware_counter_set") }} as known using (set_type)

    ),

    in_order as (

        select
            counter.counted_no,
            counter_set.first_counter
            + row_number() over (partition by counter.counted_no, counter.set_no order by counter.section_no)
            - 1 as counter_number,
            counter.counter_value
        from counter
        inner join counter_set using (counted_no, set_no)
        where counter_set.first_counter is not null
        union all
        select
            counter.counted_no,
            counter_set.first_counter
            + counter.section_no
            - 1
            - counter_set.counters_before as counter_number,
            counter.counter_value
        from counter
        inner join
            counter_set
            on counter.counted_no = counter_set.counted_no
            and counter.section_no > counter_set.counters_before
            and counter.section_no <= counter_set.counters_before + counter_set.counters
        where counter.set_no is null and counter_set.first_counter is not null

    ),

    -- If two sets of a record claim the same counter, there is no telling which is right.
    numbered as (

        select counted_no, counter_number, case when count(*) = 1 then max(counter_value) end as counter_value
        from in_order
        group by counted_no, counter_number

    ),

    increase as (

        select
            increased.counted_no,
            numbered.counter_number,
            numbered.counter_value - coalesce(last.counter_value, 0) as counter_increase
        from increased
        inner join numbered using (counted_no)
        left join
            numbered as last
            on increased.last_no = last.counted_no
            and numbered.counter_number = last.counter_number
        where not increased.is_cumulative or last.counter_value is not null

    )

select
    counted.source_id,
    counted.record_no,
    cast(increase.counter_number as integer) as counter_number,
    -- A decrease, or an increase beyond 2^53, is corrupt data.
    case
        when increase.counter_increase between 0 and 9007199254740991
        then cast(increase.counter_increase as double)
    end as counter_increase
from increase
inner join counted using (counted_no)
