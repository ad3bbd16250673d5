select * exclude (section_no, part_no, part_section_no)
from {{ merged_sections(ref("stg_zos_devices__crypto_operation")) }}
qualify
    row_number() over (
        partition by source_id, record_no, card_kind, card_number, scope, domain, operation
        order by section_no
    )
    = 1
