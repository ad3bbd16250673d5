with
    source as (select * from {{ source("zos_devices", "smf74_1_device_data") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,

            -- text
            hex(smf74num) as device_number,
            nullif(smf74ser, '') as volume,
            nullif(smf74sgn, '') as storage_group,
            hex(smf74lcu) as control_unit_number,
            nullif(smf74dev, '') as device_model,
            nullif(smf74cu, '') as control_unit_model,

            -- numerics
            coalesce(smf74scs, 0) as subchannel_set,
            smf74cap as capacity_cylinders,
            smf74ssc as requests,
            smf74mec as measured_requests,
            case when not smf74cni then {{ seconds("smf74cnn") }} end as connect_seconds,
            {{ seconds("smf74pen") }} as pending_seconds,
            case when not smf74ddt then {{ seconds("smf74dis") }} end as disconnect_seconds,
            {{ seconds("smf74dvb") }} as device_busy_seconds,
            {{ seconds("smf74cmr") }} as command_response_seconds,
            {{ seconds("smf74cuq") }} as control_unit_queue_seconds,
            smf74que as queued_samples,
            smf74rsv as reserved_samples,
            smf74nss as samples_left_out,
            smf74nux as exposures,
            smf74psm as exposure_samples,
            smf74atd as alias_delayed_requests,
            smf74sqr as synchronous_reads,
            smf74sqw as synchronous_writes,
            smf74sbr as synchronous_read_bytes,
            smf74sbw as synchronous_write_bytes,
            0.5 * smf74spr as synchronous_read_us,
            0.5 * smf74spw as synchronous_write_us,
            smf74ios as ios_queue_us,

            -- booleans
            smf74cmb or smf74vac or smf74ntf as invalid,
            smf74par as partial,
            smf74pav as parallel_access,
            smf74hpv or coalesce(smf74xpv, false) as hyper_parallel_access
        from source

    )

select *
from renamed
