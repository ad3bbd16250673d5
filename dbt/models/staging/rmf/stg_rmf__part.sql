with
    source as (

        {% for type, subtype in rmf_kinds() %}
            select source_id, record_no, section_no, smf{{ type }}rsq as part_no, smf{{ type }}rbr as parts
            from
                {{ source("rmf", "smf" ~ type ~ "_" ~ subtype ~ "_reassembly") }}
                {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    renamed as (select source_id, record_no, part_no, parts from source where section_no = 1)

select *
from renamed
