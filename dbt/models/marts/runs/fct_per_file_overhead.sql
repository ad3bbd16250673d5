{#- Overhead per file, apart from its bytes: a line fitted to elapsed or CPU time per file against
    file size.

    Each figure is weighted by the inverse square of its value. The spread between runs is
    proportional to the value, so the fit is as close, in percent, for files of 1 MB as for 1 GB.
    With w = 1 / ms^2, x the size in MB and y = ms, the normal equations need the sums below; the
    sum of w * y^2 is the number of figures. -#}
with
    figure as (

        select
            *,
            {{ configuration_text(without=["file_size_mb"]) }} as configuration,
            -- Elapsed or CPU time per file.
            1000 * if(metric = 'rate', file_size_mb / value, value * file_size_mb / 1024) as ms
        from {{ ref("fct_figure") }}
        where
            metric in ('rate', 'cost_per_GB', 'cost_per_GB_after_offload')
            and file_size_mb > 0
            and address_space is null
            and value > 0

    ),

    summed as (

        select
            origin,
            campaign,
            document_id,
            section,
            git_revision,
            configuration,
            metric,
            any_value(unit) as unit,
            {{ first_record(["order_no"]) }},
            count(*) as figures,
            count(distinct file_size_mb) as sizes,
            min(file_size_mb) as least_size_mb,
            max(file_size_mb) as greatest_size_mb,
            sum(1 / ms / ms) as w,
            sum(file_size_mb / ms / ms) as wx,
            sum(file_size_mb / ms * file_size_mb / ms) as wxx,
            sum(1 / ms) as wy,
            sum(file_size_mb / ms) as wxy
        from figure
        group by origin, campaign, document_id, section, git_revision, configuration, metric
        having count(distinct file_size_mb) > 1

    ),

    line as (

        select
            *,
            w * wxx - wx * wx as determinant,
            (wxx * wy - wx * wxy) / (w * wxx - wx * wx) as ms_per_file,
            (w * wxy - wx * wy) / (w * wxx - wx * wx) as ms_per_mb
        from summed

    ),

    fitted as (

        select
            *,
            greatest(0, figures - ms_per_file * wy - ms_per_mb * wxy) as residual_squares,
            figures - wy * wy / w as squares
        from line

    )

select
    -- ids
    origin,
    source_id,
    record_no,
    campaign,
    document_id,
    section,
    git_revision,
    configuration,
    metric,

    -- overhead per file, cost per MB
    ms_per_file,
    sqrt({{ ratio("residual_squares * wxx", "(figures - 2) * determinant") }}) as ms_per_file_standard_error,
    ms_per_mb,
    case
        when ms_per_mb > 0 then if(metric = 'rate', 1000 / ms_per_mb, 1.024 * ms_per_mb)
    end as without_overhead,
    unit,

    -- quality of the fit
    figures,
    sizes,
    least_size_mb,
    greatest_size_mb,
    if(figures > 2, 1 - {{ ratio("residual_squares", "squares") }}, null) as r2,
    100 * sqrt({{ ratio("residual_squares", "figures - 2") }}) as scatter_percent
from fitted
