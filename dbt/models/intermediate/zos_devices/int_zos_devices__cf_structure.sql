with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 74 and record_subtype = 4 and usable and part_no = 1

    ),

    facility as (select * from {{ merged_sections(source("staging", "zos_devices__coupling_facility")) }}),

    request as (select * from {{ merged_sections(ref("stg_zos_devices__cf_request")) }}),

    structure as (select * from {{ merged_sections(source("staging", "zos_devices__cf_structure")) }}),

    cache as (select * from {{ merged_sections(source("staging", "zos_devices__cf_cache")) }}),

    -- A request section points to the structure's cache sections in the same part of the record.
    cache_total as (

        select
            request.source_id,
            request.record_no,
            request.section_no,
            cast(sum(cache.directory_entries) as bigint) as directory_entries_used,
            cast(sum(cache.data_elements) as bigint) as data_elements_used,
            sum(cache.read_hits) as read_hits,
            sum(
                cache.read_misses_directory
                + cache.read_misses_unassigned
                + cache.read_misses_assigned
                + cache.read_misses_full
            ) as read_misses,
            sum(cache.directory_reclaims) as directory_reclaims,
            sum(cache.data_reclaims) as data_reclaims,
            sum(cache.castouts) as castouts
        from request
        inner join
            cache
            on request.source_id = cache.source_id
            and request.record_no = cache.record_no
            and request.part_no = cache.part_no
            and cache.part_section_no >= request.first_cache_section
            and cache.part_section_no < request.first_cache_section + request.cache_sections
        group by request.source_id, request.record_no, request.section_no

    ),

    -- Keep the first section per key, so that truncated or repeated sections do not multiply rows.
    first_facility as (

        select *
        from facility
        qualify row_number() over (partition by source_id, record_no order by section_no) = 1

    ),

    first_structure as (

        select *
        from structure
        qualify
            row_number() over (
                partition by source_id, record_no, structure_name, structure_version order by section_no
            )
            = 1

    ),

    -- Which instances receive what others do, as the system sees them that gathers data for the sysplex.
    duplicate as (

        select distinct
            record.origin,
            record.sysplex,
            structure.structure_name,
            structure.structure_version,
            record.interval_start_utc
        from first_structure as structure
        inner join record using (source_id, record_no)
        where structure.duplexed and structure.rebuild_new

    ),

    first_request as (

        select *
        from request
        qualify
            row_number() over (
                partition by source_id, record_no, structure_name, structure_version order by section_no
            )
            = 1

    )

select
    -- Both instances of a duplexed structure execute each request: the secondary's are those of the primary.
    count(*) over instances > 1
    and (
        coalesce(request.asynchronous_secondary, false)
        or exists (
            select 1
            from duplicate
            where
                duplicate.origin = record.origin
                and duplicate.sysplex = record.sysplex
                and duplicate.structure_name = request.structure_name
                and duplicate.structure_version = request.structure_version
                and {{ same_moment("duplicate.interval_start_utc", "record.interval_start_utc") }}
        )
    ) as is_secondary,
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    facility.coupling_facility,
    request.* exclude (
        source_id,
        record_no,
        section_no,
        part_no,
        part_section_no,
        first_cache_section,
        cache_sections,
        asynchronous_secondary
    ),
    {{ total(["request.synchronous_requests", "request.asynchronous_requests"]) }} as requests,
    structure.policy_mb,
    structure.active,
    structure.rebuild_new,
    structure.rebuild_old,
    structure.duplexed,
    cache_total.* exclude (source_id, record_no, section_no)
from record
inner join first_facility as facility using (source_id, record_no)
inner join first_request as request using (source_id, record_no)
left join first_structure as structure using (source_id, record_no, structure_name, structure_version)
left join
    cache_total
    on request.source_id = cache_total.source_id
    and request.record_no = cache_total.record_no
    and request.section_no = cache_total.section_no
window
    instances as (
        partition by
            record.origin, record.sysplex, record.system_id, record.interval_start_utc, request.structure_name
    )
