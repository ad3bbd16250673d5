-- A figure of an unknown document, metric or unit is shown, but not converted or compared.
{{ config(severity="warn") }}

{% for mart in [
    "dim_published_configuration",
    "fct_published_claim",
    "fct_published_measurement",
] %}
    select distinct '{{ mart }}' as relation, 'document' as kind, document_id as unknown
    from {{ ref(mart) }}
    anti join {{ ref("dim_published_document") }} using (document_id)
    union all
{% endfor %}
select distinct 'int_published__cell' as relation, 'metric' as kind, metric as unknown
from {{ ref("int_published__cell") }}
anti join {{ ref("published_metric") }} using (metric)
where metric is not null
union all
select distinct 'int_published__cell' as relation, 'unit' as kind, unit as unknown
from {{ ref("int_published__cell") }}
anti join {{ ref("run_unit") }} using (unit)
where unit is not null
