"""What the published documents recommend, as rules over marts.

A rule's query returns no row if its records are missing, and otherwise one row: `acts`, whether to
do something, and the figures of its evidence. Parameters: $origin, and $campaign or $sysplex, what
the rules are judged on (both NULL: all that is loaded). `$warning[NAME]` and `$alarm[NAME]` are
limits of the seed health_limit, and `{warning[NAME]}` in texts. Systems are judged over the time of
the campaign's runs; a sysplex is judged on its systems and on the campaigns that ran there.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["OF_COST", "OF_FACTORS", "OF_HOSTS", "OF_SYSTEMS", "RULES", "Rule"]


class Rule(NamedTuple):
    """A recommendation.

    name: for links and tests; title: what to do, in short; document, section: where it stands;
    needs: the records without which it cannot be judged; evidence: what was found, with the
    columns of the query in braces (see Words); do: what to do if the rule acts, with limits only;
    sql: the query; kept: what was found if the rule does not act, where other words say it better.
    """

    name: str
    title: str
    document: str
    section: str
    needs: str
    evidence: str
    do: str
    sql: str
    kept: str = ""

    @property
    def source(self) -> str:
        """The document and section."""
        return f"document {self.document}, {self.section}"


#: The time of a campaign's runs, with a minute on either side.
_PERIOD = """
    period as (
        select
            min(start_utc) - interval 1 minute as first_utc,
            max(stop_utc) + interval 1 minute as last_utc
        from marts.fct_run
        where origin = $origin and campaign = $campaign
    )
"""
#: Intervals of the campaign's time, of the sysplex, or all of the origin; the table is called i.
_IN_TIME = """
    i.origin = $origin
    and (
        $campaign is null
        or i.interval_start_utc < (select last_utc from period)
        and i.interval_end_utc > (select first_utc from period)
    )
    and (
        $sysplex is null
        or i.system_id in (
            select system_id from marts.fct_processor_interval
            where origin = $origin and coalesce(sysplex, 'none') = $sysplex
        )
    )
"""
#: Campaigns of the sysplex.
_RAN_THERE = """
    select run.campaign
    from marts.fct_run_coverage as there
    join marts.fct_run as run on there.origin = run.origin and there.run_id = run.run_id
    where there.origin = $origin and coalesce(there.sysplex, 'none') = $sysplex
"""


def _of_runs(of: str = "") -> str:
    """Return the condition for runs that are judged; `of`: their table and a point."""
    return f"""
        {of}origin = $origin and ($campaign is null or {of}campaign = $campaign)
        and ($sysplex is null or {of}campaign in ({_RAN_THERE}))
    """


_OF_RUNS = _of_runs()


def _by_level(factor: str, metric: str) -> str:
    """Return a CTE `level`: one row per group of runs that are alike but for a factor."""
    return f"""
        level as (
            select
                others_id, configuration, campaign, git_revision,
                unnest(by_level)."level" as name,
                unnest(by_level)."value" as value
            from marts.fct_by_factor
            where {_OF_RUNS} and factor = '{factor}' and metric = '{metric}'
        )
    """


#: On what work costs.
OF_COST = (
    Rule(
        "ziip",
        "Let MFT agents run on zIIPs",
        "000",
        "section 6",
        "runs with SMF 30 of the agents' address spaces, and SMF 72 with zIIP times",
        "{share:.0f} % of the CPU time of MFT agents may run on zIIPs; {on_cp:.0f} % of that ran "
        "on CPs.",
        "Configure zIIPs online for these LPARs, with two threads per core if there is one zIIP "
        "only.",
        f"""
        with agent as (
            select s.*
            from marts.fct_run_address_space as s
            where {_OF_RUNS} and s.address_space in (
                select address_space from marts.fct_cost_by_address_space where kind = 'MFT agent'
            )
        )
        select
            share > 20 and on_cp > $warning[ziip-on-cp] as acts, share, on_cp
        from (
            select
                100 * sum(eligible_seconds) / nullif(sum(cpu_seconds), 0) as share,
                100 * sum(ziip_on_cp_seconds) / nullif(sum(eligible_seconds), 0) as on_cp
            from agent
        )
        where share is not null and on_cp is not null
        """,
    ),
)
#: On how transfers and channels are set up, from runs that differ in it.
OF_FACTORS = (
    Rule(
        "ams",
        "Prefer TLS where only the network has to be protected",
        "000",
        "section 4",
        "runs that are alike but for AMS (factor ams)",
        "AMS takes {middle:more} CPU per unit of work, in the middle of {pairs:one pair|# pairs} "
        "of configurations with it and without; {worst} takes the most, {most:more} CPU.",
        "Keep AMS for queues whose messages must be protected at rest or signed end to end.",
        f"""
        with {_by_level("ams", "cost_per_GB")},
        other as ({_by_level("ams", "cost_per_transaction").split("as (", 1)[1].rstrip()[:-1]}),
        whole as (from level union all from other),
        pair as (
            select costly.name as worst, 100 * (costly.value / plain.value - 1) as percent
            from whole as costly
            join whole as plain
                on costly.others_id = plain.others_id
                and costly.campaign is not distinct from plain.campaign
                and costly.git_revision is not distinct from plain.git_revision
            where plain.name = 'N' and costly.name <> 'N' and plain.value > 0
        )
        select
            median(percent) > 10 as acts, median(percent) as middle, count(*) as pairs,
            arg_max(worst, percent) as worst, max(percent) as most
        from pair
        having count(*) > 0
        """,
    ),
    Rule(
        "compression",
        "Compress channels only where the network is the limit",
        "000",
        "section 4",
        "runs that are alike but for compression (factor compmsg)",
        "With compression the rate changed by {rate:+.0f} % in the middle of "
        "{pairs:one pair|# pairs} of configurations; it was higher in {gains:none|one|#} of them.",
        "Turn compression off on channels whose network has capacity left.",
        f"""
        with {_by_level("compmsg", "rate")},
        pair as (
            select 100 * (packed.value / plain.value - 1) as percent
            from level as packed
            join level as plain
                on packed.others_id = plain.others_id
                and packed.campaign is not distinct from plain.campaign
                and packed.git_revision is not distinct from plain.git_revision
            where plain.name = 'N' and packed.name <> 'N' and plain.value > 0
        )
        select
            count(*) filter (where percent < 0) > count(*) / 2 as acts,
            median(percent) as rate, count(*) as pairs,
            count(*) filter (where percent > 2) as gains
        from pair
        having count(*) > 0
        """,
    ),
    Rule(
        "fasp",
        "Use fasp.io beyond the distance where TCP/IP falls behind",
        "000",
        "section 5",
        "runs over TCP/IP and fasp.io at several distances (factors protocol, latency_ms_oneway)",
        "fasp.io is faster at {faster:none|one|#} of {points:,} {points:point|points} of distance, "
        "size and loss{nearest}{loss}.",
        "Send transfers beyond that distance, or with packet loss, through the gateway; below it "
        "stay with TCP/IP.",
        f"""
        with figure as (
            select
                c.latency_ms_oneway as ms, coalesce(c.loss_pct, 0) as loss, c.protocol,
                m.metric,
                (
                    c.file_size_mb, c.message_size_bytes, c.compmsg, c.transaction, c.batching,
                    c.compressible, c.path, c.clients, c.x_factors
                ) as work,
                median(m.value) as value
            from marts.fct_measurement as m
            join marts.dim_configuration as c using (configuration_id)
            where
                {_of_runs("m.")}
                and m.is_compared and m.metric in ('rate', 'transactions_per_second')
                and c.protocol in ('TCP', 'FASP') and c.latency_ms_oneway is not null
            group by all
        ),
        pair as (
            select fasp.ms, fasp.loss, fasp.value / tcp.value - 1 as gain
            from figure as fasp
            join figure as tcp
                on fasp.ms = tcp.ms and fasp.loss = tcp.loss and fasp.metric = tcp.metric
                and fasp.work is not distinct from tcp.work
            where fasp.protocol = 'FASP' and tcp.protocol = 'TCP' and tcp.value > 0
        )
        select
            count(*) filter (where gain > 0.05) > 0 as acts,
            count(*) filter (where gain > 0.05) as faster,
            count(*) as points,
            coalesce(
                format(
                    ', from {{:.3g}} ms one way', min(ms) filter (where gain > 0.05)
                ), ''
            ) as nearest,
            if(
                max(loss) filter (where gain > 0.05) > 0,
                format(', with up to {{:.3g}} % loss', max(loss) filter (where gain > 0.05)), ''
            ) as loss
        from pair
        having count(*) > 0
        """,
    ),
    Rule(
        "chunk-size",
        "Choose the chunk size by the size of files",
        "002",
        "section 3.3",
        "runs that are alike but for the chunk size (factor chunk_size)",
        "In {other:,} of {groups:,} {groups:group|groups} of runs another chunk size than 256 KB "
        "is the best; it is {middle:faster} in the middle, {most:faster} at most.",
        "Set agentChunkSize of these transfers to their best size, where the gain is beyond the "
        "variability of runs.",
        f"""
        with grouped as (
            select
                best_level, best_value,
                list_extract(
                    list_filter(by_level, lambda x: x."level" = '262144'), 1
                )."value" as usual
            from marts.fct_by_factor
            where {_OF_RUNS} and factor = 'chunk_size' and metric = 'rate'
        )
        select
            count(*) filter (where best_value > 1.02 * usual) > 0 as acts,
            count(*) filter (where best_value > 1.02 * usual) as other,
            count(*) as groups,
            coalesce(median(100 * (best_value / usual - 1))
                filter (where best_value > 1.02 * usual), 0) as middle,
            max(100 * (best_value / usual - 1)) as most
        from grouped
        where usual > 0
        having count(*) > 0
        """,
        "256 KB is the best chunk size, or within 2 % of it, in "
        "{groups:the one group|all # groups} of runs.",
    ),
    Rule(
        "jit",
        "Fix the JIT level of partners that convert text",
        "003",
        "the whole",
        "repeated runs of text transfers to a distributed partner",
        "In {unsteady:,} of {configurations:,} "
        "{configurations:configuration|configurations} of text transfers to a distributed partner "
        "the rate differs by more than 10 % from run to run; the largest difference is "
        "{most:.0f} %.",
        'Start the partner\'s agent with BFG_JVM_PROPERTIES="-Xjit:optlevel=scorching" and repeat '
        "the runs.",
        f"""
        with repeated as (
            select
                m.configuration_id,
                100 * (max(m.value) - min(m.value)) / nullif(median(m.value), 0) as percent
            from marts.fct_measurement as m
            join marts.dim_configuration as c using (configuration_id)
            where
                {_of_runs("m.")}
                and m.is_compared and m.metric = 'rate' and c.mode = 'text'
                and c.target ilike '%linux' and c.source in ('z/OS', 'USS')
            group by m.configuration_id
            having count(*) > 1
        )
        select
            count(*) filter (where percent > 10) > 0 as acts,
            count(*) filter (where percent > 10) as unsteady,
            count(*) as configurations,
            max(percent) as most
        from repeated
        having count(*) > 0
        """,
    ),
)
#: On the hosts of gateways and agents.
OF_HOSTS = (
    Rule(
        "csm",
        "Keep the fixed storage of CSM below half of its limit",
        "001",
        "appendix C",
        "output of D NET,CSM of the runs",
        "CSM used at most {percent:.0f} % of its fixed storage since the last IPL, of "
        "{limit_mb:,.0f} MB.",
        "Raise FIXED MAX in IVTPRM00 before more fasp.io gateways or zCX appliances are started.",
        f"""
        with csm as (
            select
                max(value * if(unit = 'KB', 1.0 / 1024, 1))
                    filter (where metric = 'csm_fixed_max_used_ipl') as used,
                min(value * if(unit = 'KB', 1.0 / 1024, 1))
                    filter (where metric = 'csm_fixed_max') as limit_mb
            from marts.fct_measurement
            where {_OF_RUNS}
            group by run_id
        )
        select
            max(used / limit_mb) > 0.5 as acts, 100 * max(used / limit_mb) as percent,
            arg_max(limit_mb, used / limit_mb) as limit_mb
        from csm
        where limit_mb > 0 and used is not null
        having count(*) > 0
        """,
    ),
    Rule(
        "swapping",
        "Keep containers from swapping",
        "001",
        "appendix E",
        "output of free in the zCX appliance or on the Linux host",
        "The hosts of the runs had up to {swap_mb:,.0f} MB in swap space.",
        "Give the appliance more memory, so that its address space and its guests do not swap.",
        f"""
        select max(value) > 64 as acts, max(value) as swap_mb
        from marts.fct_measurement
        where {_OF_RUNS} and metric = 'host_swap_used'
        having count(*) > 0
        """,
    ),
)
#: On systems and queue managers during the runs; pages have verdicts on the same (health.py).
OF_SYSTEMS = (
    Rule(
        "block-size",
        "Write data sets in half-track blocks",
        "000",
        "section 6",
        "SMF 42-6 of the data sets that are written",
        "{small:,} of {sets:,} sequential {sets:data set|data sets} {small:was|were} written in "
        "blocks of less than 20,000 bytes ({percent:.2g} % of the bytes); the smallest blocks "
        "have {least:,} bytes.",
        "Define them with a block size near 27,998 bytes: two blocks per track.",
        f"""
        with {_PERIOD},
        written as (
            select data_set_name, max(block_bytes) as block_bytes, sum(bytes_written) as bytes
            from marts.fct_data_set_interval as i
            where {_IN_TIME} and organisation = 'PS' and bytes_written > 0 and block_bytes > 0
            group by data_set_name
        )
        select
            coalesce(sum(bytes) filter (where block_bytes < 20000), 0)
                > $warning[small-blocks] / 100 * sum(bytes) as acts,
            count(*) filter (where block_bytes < 20000) as small,
            count(*) as sets,
            100 * coalesce(sum(bytes) filter (where block_bytes < 20000), 0) / sum(bytes)
                as percent,
            min(block_bytes) as least
        from written
        having count(*) > 0
        """,
        "{percent:.2g} % of the bytes of {sets:one sequential data set|# sequential data sets} "
        "were written in blocks of less than 20,000 bytes; the smallest blocks have {least:,} "
        "bytes.",
    ),
    Rule(
        "zhpf",
        "Use zHPF",
        "000",
        "section 6",
        "SMF 42-6 with counts of zHPF",
        "{percent:.0f} % of the I/O requests of data sets used zHPF.",
        "Enable zHPF on the systems and storage (SETIOS ZHPF=YES) where requests went without it.",
        f"""
        with {_PERIOD}
        select percent < $warning[zhpf] as acts, percent
        from (
            select sum(zhpf_percent * ios) / nullif(sum(ios), 0) as percent
            from marts.fct_data_set_interval as i
            where {_IN_TIME} and zhpf_percent is not null
        )
        where percent is not null
        """,
    ),
    Rule(
        "channels",
        "Use several channels over distance",
        "000",
        "section 5",
        "SMF 116 (class 4) of sender channels: NETTIME",
        "{far:,} of {channels:,} sender {channels:channel|channels} {far:has|have} a mean NETTIME "
        "above {warning[nettime]:g} ms (at most {most:.0f} ms); "
        "{alone:none of them is|one of them is|# of them are} alone to the partner.",
        "Define more channels to these partners, and spread the work: one channel waits a round "
        "trip per batch.",
        f"""
        with {_PERIOD},
        channel as (
            select
                queue_manager, channel_name,
                any_value(remote_queue_manager_or_application) as partner,
                sum(nettime_average_us * greatest(batches, 1)) / sum(greatest(batches, 1)) / 1000
                    as nettime_ms
            from marts.fct_channel_interval as i
            where {_IN_TIME} and nettime_average_us is not null and channel_type ilike '%sender%'
            group by queue_manager, channel_name
        ),
        counted as (
            select *, count(*) over (partition by queue_manager, partner) as to_partner from channel
        )
        select
            count(*) filter (where nettime_ms > $warning[nettime] and to_partner = 1) > 0 as acts,
            count(*) filter (where nettime_ms > $warning[nettime]) as far,
            count(*) filter (where nettime_ms > $warning[nettime] and to_partner = 1) as alone,
            count(*) as channels,
            max(nettime_ms) as most
        from counted
        having count(*) > 0
        """,
        "The highest mean NETTIME of {channels:the one sender channel|# sender channels} is "
        "{most:.1f} ms; {alone:no channel is|one channel is|# channels are} far away and alone to "
        "the partner.",
    ),
    Rule(
        "batch-size",
        "Raise BATCHSZ (XBATCHSZ) where batches are full",
        "001",
        "section 5",
        "SMF 116 (class 4) of sender channels: full batches",
        "{full:,} of {channels:,} sender {channels:channel|channels} {full:fills|fill} more than "
        "{warning[batches-full]:g} % of {full:its|their} batches; the fullest fills {most:.0f} %.",
        "Raise BATCHSZ of these channels, on both ends, and XBATCHSZ for the gateway.",
        f"""
        with {_PERIOD},
        channel as (
            select
                queue_manager, channel_name,
                100 * sum(full_batches) / nullif(sum(batches), 0) as percent
            from marts.fct_channel_interval as i
            where {_IN_TIME} and batches > 0
            group by queue_manager, channel_name
        )
        select
            count(*) filter (where percent > $warning[batches-full]) > 0 as acts,
            count(*) filter (where percent > $warning[batches-full]) as full,
            count(*) as channels,
            max(percent) as most
        from channel
        having max(percent) is not null
        """,
        "The sender channel with the fullest batches, of {channels:,}, fills {most:.0f} % of them.",
    ),
    Rule(
        "structures",
        "Size structures for the level of the coupling facility",
        "004",
        "section 2",
        "SMF 74-4 with the entries and elements of list structures",
        "The fullest list structure, {name}, used {percent:.0f} % of its entries or elements at "
        "{size_mb:,.0f} MB; CFCC level {level}.",
        "Enlarge it: from CFCC level 25 each structure needs about 8 MB more for the same "
        "messages, and the administration structure more than before.",
        f"""
        with {_PERIOD},
        used as (
            select
                structure_name as name,
                max(greatest(coalesce(entries_used_percent, 0), coalesce(elements_used_percent, 0)))
                    as percent,
                max(size_mb) as size_mb
            from marts.fct_cf_structure_use_interval as i
            where {_IN_TIME} and structure_type in ('list', 'serialized list')
                and structure_name not like 'IXC%'
                and (entries_used_percent is not null or elements_used_percent is not null)
            group by structure_name
        )
        select
            max(percent) > $warning[structure-used] as acts, max(percent) as percent,
            arg_max(name, percent) as name,
            arg_max(size_mb, percent) as size_mb,
            (
                select coalesce(max(cf_level)::varchar, 'unknown')
                from marts.fct_cf_interval as i where {_IN_TIME}
            ) as level
        from used
        having count(*) > 0
        """,
    ),
    Rule(
        "cf-processors",
        "Give the coupling facility dedicated processors",
        "004",
        "section 2",
        "SMF 74-4 of the coupling facilities",
        "{shared:,} of {facilities:,} coupling {facilities:facility|facilities} {shared:has|have} "
        "shared processors or dynamic dispatching.",
        "Use dedicated processors, without dynamic dispatching, for production.",
        f"""
        with {_PERIOD},
        facility as (
            select coupling_facility, max(shared_processors) > 0
                or bool_or(coalesce(dynamic_dispatching, false)) as is_shared
            from marts.fct_cf_interval as i
            where {_IN_TIME}
            group by coupling_facility
        )
        select
            bool_or(is_shared) as acts, count(*) filter (where is_shared) as shared,
            count(*) as facilities
        from facility
        having count(*) > 0
        """,
        "{facilities:The coupling facility has|All # coupling facilities have} dedicated "
        "processors without dynamic dispatching.",
    ),
    Rule(
        "buffers",
        "Give agents' queues enough buffers",
        "000",
        "section 9",
        "SMF 115 (class 3, subtype 2 or 215) of the buffer pools",
        "Pool {pool} of {manager} was the fullest, with {percent:.0f} % of its buffers free; "
        "{short:no pool was|once a pool was|# times a pool was} short of buffers.",
        "Enlarge the pool, so that a whole batch of messages fits and {warning[buffers-free]:g} % "
        "stay free.",
        f"""
        with {_PERIOD}
        select
            min(lowest_free_percent) < $warning[buffers-free]
                or sum(short_on_buffers) > $alarm[buffers-short] as acts,
            min(lowest_free_percent) as percent,
            arg_min(buffer_pool, lowest_free_percent) as pool,
            arg_min(queue_manager, lowest_free_percent) as manager,
            coalesce(sum(short_on_buffers), 0)::bigint as short
        from marts.fct_buffer_pool_interval as i
        where {_IN_TIME} and lowest_free_percent is not null
        having count(*) > 0
        """,
    ),
    Rule(
        "log",
        "Keep the log from being the limit",
        "004",
        "section 4",
        "SMF 115 (class 1) with log statistics",
        "The log writer of {manager} was busy for {percent:.0f} % of its busiest interval; "
        "{waits:no request|one request|# requests} waited for a log buffer.",
        "Put logs on faster or striped volumes, raise OUTBUFF, or spread the work over several "
        "queue managers.",
        f"""
        with {_PERIOD}
        select
            max(log_writer_busy_percent) > $warning[log-writer]
                or sum(log_buffer_waits) > $warning[log-buffers] as acts,
            max(log_writer_busy_percent) as percent,
            arg_max(queue_manager, log_writer_busy_percent) as manager,
            coalesce(sum(log_buffer_waits), 0)::bigint as waits
        from marts.fct_queue_manager_interval as i
        where {_IN_TIME} and log_writer_busy_percent is not null
        having count(*) > 0
        """,
    ),
)
RULES = (*OF_COST, *OF_FACTORS, *OF_HOSTS, *OF_SYSTEMS)
