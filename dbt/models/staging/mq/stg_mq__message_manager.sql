with source as (

    select * from {{ source('mq', 'smf115_qmst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qmstopen as opens,
        qmstclos as closes,
        qmstget as gets,
        qmstput as puts,
        qmstput1 as put1s,
        qmstinq as inqs,
        qmstset as sets,
        qmstcalh as handle_closes,
        qmstsub as subs,
        qmstsubr as subrqs,
        qmstcb as cbs,
        qmstctl as ctls,
        qmststus as stats,
        qmstpubs as publishes,
        {{ unsigned('qmstspp') }} as persistent_puts,
        {{ unsigned('qmstsnp') }} as nonpersistent_puts,
        {{ unsigned('qmstpbp') }} as persistent_put_bytes,
        {{ unsigned('qmstnbp') }} as nonpersistent_put_bytes
    from source

)

select * from renamed
