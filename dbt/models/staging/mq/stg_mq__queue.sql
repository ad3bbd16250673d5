with source as (

    select * from {{ source('mq', 'smf115_qqst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qqstqnam as queue_name,
        qqstdisp as is_shared,
        qqstpart as is_partial,
        qqstqsgn as queue_sharing_group,
        qqstcfst as cf_structure_name,
        qqstpsid as page_set,
        qqstbpid as buffer_pool,
        qqstdpth as depth,
        qqstdphi as max_depth,
        qqstdplo as min_depth,
        qqstopct as open_output_count,
        qqstipct as open_input_count,
        {{ seconds('qqstmage') }} as oldest_message_age_seconds,
        {{ monitored_us('qqstqtst') }} as recent_time_on_queue_us,
        {{ monitored_us('qqstqtlt') }} as long_term_time_on_queue_us,
        {{ unsigned('qqstputs') }} as puts,
        {{ unsigned('qqstput1') }} as put1s,
        {{ unsigned('qqstnppt') }} as nonpersistent_puts,
        {{ unsigned('qqstppt') }} as persistent_puts,
        {{ unsigned('qqstnpp1') }} as nonpersistent_put1s,
        {{ unsigned('qqstpp1') }} as persistent_put1s,
        {{ unsigned('qqstputb') }} as put_bytes,
        {{ unsigned('qqstpt1b') }} as put1_bytes,
        {{ unsigned('qqstflpt') }} as failed_puts,
        {{ unsigned('qqstflp1') }} as failed_put1s,
        {{ unsigned('qqstfptc') }} as messages_to_waiting_getter,
        {{ unsigned('qqstfptb') }} as bytes_to_waiting_getter,
        {{ unsigned('qqstmsmi') }} as min_message_bytes,
        {{ unsigned('qqstmsma') }} as max_message_bytes,
        {{ unsigned('qqstgets') }} as gets,
        {{ unsigned('qqstnpdg') }} as nonpersistent_gets,
        {{ unsigned('qqstpdg') }} as persistent_gets,
        {{ unsigned('qqstgetb') }} as get_bytes,
        {{ unsigned('qqstbrws') }} as browses,
        {{ unsigned('qqstbrwb') }} as browse_bytes,
        {{ unsigned('qqstflgt') }} as failed_gets,
        {{ unsigned('qqstnmag') }} as empty_gets,
        {{ unsigned('qqstopen') }} as opens,
        {{ unsigned('qqstclos') }} as closes,
        {{ unsigned('qqstinqr') }} as inqs,
        {{ unsigned('qqstset') }} as sets,
        {{ unsigned('qqstexpr') }} as expired,
        {{ unsigned('qqstrbpt') }} as rolled_back_puts,
        {{ unsigned('qqstrbgt') }} as rolled_back_gets
    from source

)

select * from renamed
