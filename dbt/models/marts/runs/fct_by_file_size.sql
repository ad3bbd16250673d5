{#- Rate and cost by file size, with one column per size. -#}
{% set sizes = [1, 10, 100, 1024] %}

with
    figure as (

        select *, {{ configuration_text(without=["file_size_mb"]) }} as configuration
        from {{ ref("fct_figure") }}
        where
            metric in ('rate', 'cost_per_GB', 'cost_per_GB_after_offload', 'ziip_share')
            and file_size_mb is not null
            and address_space is null

    )

select
    -- ids
    origin,
    {{ first_record(["order_no"]) }},
    campaign,
    document_id,
    section,
    git_revision,
    configuration,
    metric,

    -- mean per size
    any_value(unit) as unit,
    {% for size in sizes %}
        avg(value) filter (where file_size_mb = {{ size }}) as size_{{ size }}_mb,
    {% endfor %}
    map_from_entries(list_sort(map_entries(histogram(file_size_mb)))) as runs_by_size
from figure
group by origin, campaign, document_id, section, git_revision, configuration, metric
