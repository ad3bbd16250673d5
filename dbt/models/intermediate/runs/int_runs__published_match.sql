{% set names = run_factors() | map("first") | list + ["machine"] %}

-- Which factors keep a configuration of runs from the figures of a table, at those of its settings that
-- are nearest. Without any, the figures fit, and what the run does not state is assumed.
with
    setting as (

        select distinct setting_id, document_id, table_id, levels, defaults
        from {{ ref("int_published__figure") }}

    ),

    configuration as (

        select
            configuration_id,
            {% for name, type in run_factors() %}
                {{
                    (
                        "format('{:g}', \"" ~ name ~ '")'
                        if type == "double"
                        else 'cast("' ~ name ~ '" as varchar)'
                    )
                }} as "{{ name }}",
            {% endfor %}
            machine
        from {{ ref("int_runs__configuration") }}

    ),

    compared as (

        select
            configuration.*,
            setting.*,
            {% for name in names %}
                case
                    when levels."{{ name }}" = '*'
                    then 0
                    when "{{ name }}" is null
                    then cast(levels."{{ name }}" is distinct from defaults."{{ name }}" as integer)
                    when levels."{{ name }}" is null
                    then 1
                    else cast("{{ name }}" <> levels."{{ name }}" as integer)
                end {{ "+" if not loop.last }}
            {% endfor %} as obstacles,
            {% for name in names %}
                if("{{ name }}" = levels."{{ name }}", 1, 0) {{ "+" if not loop.last }}
            {% endfor %} as agreeing
        from configuration
        cross join setting

    ),

    nearest as (

        select
            *,
            row_number() over (
                partition by configuration_id, document_id, table_id
                order by obstacles, agreeing desc, setting_id
            )
            = 1 as is_nearest
        from compared
        where agreeing > 0 and obstacles <= 4
        qualify obstacles = 0 or is_nearest

    )

select
    configuration_id,
    document_id,
    table_id,
    setting_id,
    is_nearest,
    agreeing,
    list_filter(
        [
            {% for name in names %}
                if("{{ name }}" is null, '{{ name }}=' || nullif(levels."{{ name }}", '*'), null)
                {{- "," if not loop.last }}
            {% endfor %}
        ],
        lambda level:level is not null and obstacles = 0
    ) as assumed,
    list_filter(
        [
            {% for name in names %}
                case
                    when levels."{{ name }}" = '*'
                    then null
                    when "{{ name }}" is null and levels."{{ name }}" is distinct from defaults."{{ name }}"
                    then '{{ name }} is not stated, and the figures are of ' || levels."{{ name }}"
                    when "{{ name }}" <> levels."{{ name }}"
                    then
                        format(
                            '{{ name }} is {}, and the figures are of {}', "{{ name }}", levels."{{ name }}"
                        )
                    when "{{ name }}" is not null and levels."{{ name }}" is null
                    then
                        format(
                            '{{ name }} is {}, and the document does not say of what the figures are',
                            "{{ name }}"
                        )
                end {{- "," if not loop.last }}
            {% endfor %}
        ],
        lambda obstacle:obstacle is not null
    ) as obstacles
from nearest
