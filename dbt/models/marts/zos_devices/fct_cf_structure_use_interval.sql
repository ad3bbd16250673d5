with structure as (select * from {{ days(ref("int_zos_devices__cf_structure")) }})

select
    {{ rmf_record_columns("structure") }},
    {{ rmf_interval_columns("structure") }},
    structure.coupling_facility,
    structure.structure_name,
    structure.structure_version,
    structure.structure_type,

    -- state
    structure.connected,
    structure.encrypted,
    structure.active,
    structure.rebuild_new,
    structure.rebuild_old,
    structure.duplexed,
    structure.is_secondary as is_included,

    -- activity
    structure.requests,
    {{ per_second("structure.requests", "structure.interval_seconds") }} as requests_per_second,
    structure.execution_seconds,
    structure.contended_requests,
    {{ percent("structure.contended_requests", "structure.requests") }} as contended_percent,
    structure.false_contended_requests,
    {{ percent("structure.false_contended_requests", "structure.requests") }} as false_contended_percent,

    -- size and use
    structure.size_mb,
    structure.policy_mb,
    structure.max_entries,
    structure.entries_used,
    {{ percent("structure.entries_used", "structure.max_entries") }} as entries_used_percent,
    structure.max_elements,
    structure.elements_used,
    {{ percent("structure.elements_used", "structure.max_elements") }} as elements_used_percent,
    structure.max_lock_entries,
    structure.lock_entries_used,
    {{ percent("structure.lock_entries_used", "structure.max_lock_entries") }} as lock_entries_used_percent,
    structure.list_headers,

    -- cache
    structure.directory_entries,
    structure.directory_entries_used,
    structure.data_elements,
    structure.data_elements_used,
    structure.read_hits,
    structure.read_misses,
    {{ percent("structure.read_hits", "(structure.read_hits + structure.read_misses)") }} as read_hit_percent,
    structure.directory_reclaims,
    structure.data_reclaims,
    structure.castouts
from structure
