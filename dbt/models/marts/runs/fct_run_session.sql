with
    run as (
        select
            origin,
            source_id,
            record_no,
            campaign,
            run_id,
            start_utc,
            coalesce(stop_utc, start_utc) as stop_utc,
            git_revision
        from {{ ref("fct_run") }}
        where origin <> 'published'
    ),

    -- Runs of a build belong to one session until six hours pass without any.
    begun as (

        select *, coalesce(start_utc - max(stop_utc) over earlier >= interval 6 hours, true) as begins
        from run
        window
            earlier as (
                partition by origin, campaign, git_revision
                order by start_utc, run_id
                rows between unbounded preceding and 1 preceding
            )

    ),

    chained as (

        select
            * exclude (begins),
            count(*) filter (begins) over (
                partition by origin, campaign, git_revision order by start_utc, run_id
            ) as chain_no
        from begun

    ),

    -- Runs that go on for a day or more are a session each.
    placed as (

        select
            * exclude (chain_no, stop_utc),
            if(
                max(start_utc) over chain - min(start_utc) over chain < interval 1 day,
                min(start_utc) over chain,
                start_utc
            ) as session_start_utc,
            coalesce(git_revision, strftime(session_start_utc, '%Y-%m-%d')) as build
        from chained
        window chain as (partition by origin, campaign, git_revision, chain_no)

    ),

    -- A run may name fewer digits of a revision than the table of builds does.
    committed as (

        select
            placed.build, min(struct_pack(utc := builds.committed_utc, no := builds.record_no)) as committed
        from (select distinct build from placed where git_revision is not null) as placed
        inner join
            {{ source("staging", "bench__build") }} as builds
            on left(builds.build, 7) = left(placed.build, 7)
            and (
                builds.build = placed.build
                or (starts_with(builds.build, placed.build) and len(placed.build) >= 7)
            )
        group by all

    ),

    ranked as (

        select
            origin,
            campaign,
            build,
            min(session_start_utc) as first_utc,
            max(session_start_utc) as last_utc,
            any_value(committed) is null and any_value(git_revision) is not null as is_unknown,
            count(*) over (partition by origin, campaign) as builds,
            row_number() over (
                partition by origin, campaign
                order by
                    coalesce(any_value(committed.utc), min(start_utc)),
                    any_value(committed.no),
                    min(start_utc),
                    build
            ) as rank_no
        from placed
        left join committed using (build)
        group by origin, campaign, build

    ),

    again as (

        select distinct origin, campaign, session_start_utc as utc, rank_no
        from placed
        inner join ranked using (origin, campaign, build)
        where session_start_utc > first_utc

    ),

    -- A build of unknown age that only ran between two others that ran again, within a day, as
    -- bisection does, is between them. Where more than a quarter are, runs are made so.
    embraced as (

        select ranked.* replace (greatest(earlier.rank_no, later.rank_no) - 0.5 as rank_no)
        from ranked
        asof join
            again as earlier
            on (ranked.origin, ranked.campaign) = (earlier.origin, earlier.campaign)
            and ranked.first_utc > earlier.utc
        asof join
            again as later
            on (ranked.origin, ranked.campaign) = (later.origin, later.campaign)
            and ranked.last_utc < later.utc
        where is_unknown and earlier.rank_no <> later.rank_no and later.utc - earlier.utc < interval 1 day
        qualify 4 * count(*) over (partition by ranked.origin, ranked.campaign) <= builds

    ),

    build as (

        select
            origin,
            campaign,
            build,
            dense_rank() over (
                partition by origin, campaign order by coalesce(embraced.rank_no, ranked.rank_no)
            ) as build_no
        from ranked
        left join embraced using (origin, campaign, build)

    ),

    session as (

        select
            origin,
            campaign,
            build,
            session_start_utc,
            build_no,
            row_number() over (
                partition by origin, campaign order by build_no, session_start_utc
            ) as session_no
        from (select distinct origin, campaign, build, session_start_utc from placed)
        inner join build using (origin, campaign, build)

    ),

    -- In time, a session that was run late (of an old build, again) ends before the next build began.
    ordered as (

        select
            *,
            min(session_start_utc - to_microseconds(session_no)) over (
                partition by origin, campaign
                order by session_no
                rows between 1 following and unbounded following
            )
            + to_microseconds(session_no + 1) as next_utc
        from session

    )

select
    -- ids
    placed.origin,
    placed.source_id,
    placed.record_no,
    placed.campaign,
    placed.run_id,
    ordered.build,

    -- order
    ordered.build_no,
    ordered.session_no,

    -- time
    coalesce(ordered.next_utc, timestamp '9999-12-31') as session_end_utc,
    least(placed.start_utc, session_end_utc - interval 1 microsecond) as ordered_utc
from placed
inner join ordered using (origin, campaign, build, session_start_utc)
