-- Facts that hold in the synthetic dumps of MQ: all values of all rows of a query are true, and there
-- are rows. A query is asked of each dump, or of those after `of` in the comment that begins it.

-- header times are local and in order
WITH record AS (
    SELECT smf_time, lag(smf_time) OVER (ORDER BY record_no) AS before
    FROM smf_record WHERE record_type NOT IN (2, 3)
)
SELECT before IS NULL OR before <= smf_time FROM record;

-- a header is written within 10 ms of its record's time, which is UTC
WITH made AS (
    SELECT smf_time, qwhsstck FROM smf115_qwhs UNION ALL SELECT smf_time, qwhsstck FROM smf116_qwhs
)
SELECT smf_time - qwhsstck + INTERVAL 5 HOUR BETWEEN INTERVAL (-10) MILLISECOND AND INTERVAL 0 SECOND
FROM made WHERE qwhsstck IS NOT NULL;

-- intervals follow each other, but for one restart, and are local
WITH span AS (
    SELECT
        *, qwhstime + to_microseconds(qwhsdurn) AS end_time,
        epoch(qwhstime - lag(qwhstime + to_microseconds(qwhsdurn)) OVER (
            PARTITION BY record_subtype ORDER BY record_no
        )) AS gap
    FROM smf115_qwhs WHERE record_subtype IN (1, 2, 215, 216, 231)
)
SELECT
    count(*) FILTER (gap > 0.001) = (any_value(system) = '935')::INT,
    bool_and(gap IS NULL OR gap BETWEEN 0 AND 0.001 OR round(gap) = 161),
    bool_and(qwhsdurn > 180000000 AND qwhsdurn < 301000000),
    bool_and(qwhsstck - INTERVAL 5 HOUR - end_time BETWEEN INTERVAL 0 SECOND AND INTERVAL 1 MILLISECOND)
FROM span, (SELECT any_value(sm115rel) AS system FROM smf115_header) GROUP BY record_subtype;

-- a restart resets the sequence numbers of 935
WITH numbered AS (
    SELECT record_no, qwhsiseq AS number, 'interval' AS kind FROM smf115_qwhs WHERE record_subtype = 1
    UNION ALL
    SELECT record_no, qwhswseq, 'record' FROM (
        SELECT record_no, qwhswseq FROM smf115_qwhs UNION ALL SELECT record_no, qwhswseq FROM smf116_qwhs
    ) WHERE qwhswseq > 0
), step AS (
    SELECT
        kind, number, number - lag(number) OVER (PARTITION BY kind ORDER BY record_no) AS more
    FROM numbered
)
SELECT
    count(*) FILTER (more <> 1) = 1, count(*) FILTER (more <> 1 AND number = 1) = 1,
    kind = 'record' OR arg_min(number, number) FILTER (number > 400) = 401
FROM step GROUP BY kind;

-- accounting and statistics count the same calls
SELECT
    s.put = q.put, s.put1 = q.put1, s.got = q.got, s.opened = q.opened, s.closed = q.closed,
    least(s.put, s.put1, s.got, s.opened, s.closed) > 0,
    s.put + s.put1 = q.valid, i.put = q.valid
FROM (
    SELECT sum(qmstput) AS put, sum(qmstput1) AS put1, sum(qmstget) AS got, sum(qmstopen) AS opened,
        sum(qmstclos) AS closed FROM smf115_qmst
) AS s, (
    SELECT sum(putn) AS put, sum(put1n) AS put1, sum(getn) AS got, sum(openn) AS opened,
        sum(closen) AS closed, sum(validput) AS valid FROM smf116_wq
) AS q, (SELECT sum(qistmput) AS put FROM smf115_qist) AS i;

-- accounting and statistics count the same persistent messages and bytes of 1000
SELECT s.bytes = q.bytes, s.messages = q.valid, s.persistent = q.persistent
FROM (
    SELECT sum(qmstpbp + qmstnbp) AS bytes, sum(qmstspp + qmstsnp) AS messages,
        sum(qmstspp) AS persistent FROM smf115_qmst
) AS s, (
    SELECT sum(putbytes) AS bytes, sum(validput) AS valid, sum(putpmsg + put1pmsg) AS persistent
    FROM smf116_wq
) AS q;

-- queues add up to the queue manager of 935, 1000
WITH queues AS (
    SELECT
        record_no, sum(qqstputs) AS put, sum(qqstput1) AS put1, sum(qqstopen) AS opened,
        sum(qqstinqr) AS inquired, sum(qqstset) AS sets, sum(qqstgets + qqstnmag + qqstbrws) AS got
    FROM smf115_qqst GROUP BY ALL
), queue AS (SELECT *, row_number() OVER (ORDER BY record_no) AS n FROM queues),
manager AS (SELECT *, row_number() OVER (ORDER BY record_no) AS n FROM smf115_qmst)
SELECT
    bool_and(put = qmstput), bool_and(put1 = qmstput1), bool_and(opened = qmstopen),
    bool_and(inquired = qmstinq), bool_and(sets = qmstset), bool_and(got = qmstget),
    least(sum(put), sum(put1), sum(opened), sum(inquired), sum(sets)) > 0, count(*) = count(put)
FROM manager LEFT JOIN queue USING (n);

-- tasks add up to the queue manager in calls without a queue of 1000
SELECT
    sum(wtassun) = any_value(sub), sum(wtassqn) = any_value(subr), sum(wtasctn) = any_value(ctl),
    sum(wtasstn) = any_value(stus),
    least(sum(wtassun), sum(wtassqn), sum(wtasctn), sum(wtasstn), sum(wtasban), sum(wtasprn)) > 0
FROM smf116_wtas, (
    SELECT sum(qmstsub) AS sub, sum(qmstsubr) AS subr, sum(qmstctl) AS ctl, sum(qmststus) AS stus
    FROM smf115_qmst
);

-- accounting of a queue matches its statistics of 935, 1000
WITH task AS (
    SELECT basename AS queue, [
        sum(putn), sum(put1n), sum(validput), sum(validget), sum(putbytes), sum(getbytes),
        sum(putpmsg + put1pmsg), sum(getpmsg), sum(putpwg + put1pwg)
    ] AS figures FROM smf116_wq GROUP BY ALL
), queue AS (
    SELECT qqstqnam AS queue, [
        sum(qqstputs), sum(qqstput1), sum(qqstputs + qqstput1), sum(qqstgets),
        sum(qqstputb + qqstpt1b), sum(qqstgetb), sum(qqstppt + qqstpp1), sum(qqstpdg), sum(qqstfptc)
    ] AS figures FROM smf115_qqst GROUP BY ALL
)
SELECT coalesce(task.figures = queue.figures, false) FROM task FULL JOIN queue USING (queue);

-- messages are neither created nor lost: a queue's depth changes by those put and got, of 1000
SELECT
    qqstdpth = sum(qqstputs::BIGINT + qqstput1::BIGINT - qqstgets::BIGINT) OVER (
        PARTITION BY qqstqnam ORDER BY record_no
    ),
    qqstdplo <= qqstdpth, qqstdpth <= qqstdphi
FROM smf115_qqst;

-- parts of queue statistics add up of 935, 1000
SELECT
    qqstputs = qqstppt + qqstnppt, qqstputb = qqstppb + qqstnppb, qqstput1 = qqstpp1 + qqstnpp1,
    qqstpt1b = qqstp1b + qqstnp1b, qqstgets = qqstpdg + qqstnpdg, qqstgetb = qqstpdb + qqstnpdb,
    qqstmsmi <= qqstmsav, qqstmsav <= qqstmsma
FROM smf115_qqst;

-- channels move what their tasks put and get
WITH channel AS (
    SELECT qcstchnm AS name, sum(qcstnmsg) AS messages, sum(qcstnbyt) AS bytes FROM smf116_qcst GROUP BY ALL
), task AS (
    SELECT wtidchl AS name, sum(validput + validget) AS messages, sum(putbytes + getbytes) AS bytes
    FROM smf116_wq JOIN smf116_wtid USING (record_no)
    WHERE starts_with(wtidchl, 'SYQ') OR regexp_matches(wtidchl, 'SYQ[123]$') GROUP BY ALL
)
SELECT
    coalesce(task.messages = channel.messages AND task.bytes = channel.bytes, false),
    count(*) OVER () = 2
FROM task LEFT JOIN channel USING (name);

-- channel figures are possible
SELECT
    qcstfuba <= qcstbatc, qcstbatc = 0 OR qcstnmsg <= qcstbatc * qcstcbsz,
    qcstchty <> 1 OR qcstbyst > qcstnbyt,
    coalesce(qcstntav, 0) = 0 OR (qcstntmn <= qcstntav AND qcstntav <= qcstntmx),
    qcststrt < qcstcltm, max(qcstntav) OVER () > 0
FROM smf116_qcst;

-- tasks of the channel initiator are never overworked
WITH task AS (
    FROM smf115_qct_dsp SELECT record_no, qctcptm, qcteltm, qctwttm
    UNION ALL FROM smf115_qct_adp SELECT record_no, qctcptm, qcteltm, qctwttm
    UNION ALL FROM smf115_qct_ssl SELECT record_no, qctcptm, qcteltm, qctwttm
    UNION ALL FROM smf115_qct_dns SELECT record_no, qctcptm, qcteltm, qctwttm
)
SELECT
    qctcptm <= qcteltm, qcteltm + qctwttm = qwhsdurn, (SELECT sum(qctreqn) FROM smf115_qct_adp) > 1000
FROM task JOIN smf115_qwhs USING (record_no);

-- logs add up
SELECT
    qjstlogw = list_sum(flatten(qjstiocount::BIGINT[][])), qjstciwr = list_sum(flatten(qjstioci::BIGINT[][])),
    qjstslptu > 0, qjstslptu <= qwhsdurn
FROM smf115_qjst JOIN smf115_qwhs USING (record_no);

-- the log has what tasks wrote, in whole pages
SELECT
    forced = (SELECT sum(wtasjcn) FROM smf116_wtas),
    filled * 4096 - (SELECT sum(wtasjwb) FROM smf116_wtas) BETWEEN 0 AND 4096 * records - 1
FROM (SELECT sum(qjstwrf) AS forced, sum(qjstbffl) AS filled, count(*) AS records FROM smf115_qjst);

-- buffer pools agree with their page sets of 935, 1000
WITH pool AS (SELECT *, row_number() OVER () AS n FROM smf115_qpst),
page_set AS (SELECT *, row_number() OVER () AS n FROM smf115_qis1)
SELECT
    qis1dwpp + qis1imwp + qis1ckpp = qpsttpw, qis1getp = qpstrio,
    qis1ppg + qis1nppg + qis1unpg <= qis1topg, qpstrio <= qpstgetp, qpstcbsl BETWEEN 0 AND qpstcbs,
    qpstcbs <= qpstnbuf
FROM pool FULL JOIN page_set USING (n);

-- one buffer pool runs short of buffers once, where pages are read, of 935
SELECT
    list(DISTINCT qpstpool) FILTER (qpstcbsl < 0.15 * qpstnbuf) = [2],
    count(*) FILTER (qpstcbsl < 0.15 * qpstnbuf) BETWEEN 1 AND 3,
    bool_and(qpstdwt > 0) FILTER (qpstcbsl < 0.15 * qpstnbuf), sum(qpstrio) > 0,
    (SELECT list(DISTINCT basename) FROM smf116_wq WHERE getpsn > 0) = ['SYN.SETTLE.FILE'],
    (SELECT sum(getpsn) FROM smf116_wq) = sum(qpstrio)
FROM smf115_qpst;

-- shared queues agree with their structure of 935
SELECT
    sum(qestcsec) = (SELECT sum(wtascsec) FROM smf116_wtas), sum(qestcmec) = (SELECT sum(wtascmec) FROM smf116_wtas),
    least(sum(qestcsec), sum(qestcmec)) > 0,
    (
        SELECT sum(list_sum(flatten(mqcfreq_cfcount::BIGINT[][]))) FROM smf116_wq
        WHERE cfstrucname = 'SYNAPPL1'
    ) = sum(qestcsec) + sum(qestcmec)
FROM smf115_qest WHERE qeststr = 'SYNAPPL1';

-- records of the storage manager have no QWHS and the time of statistics, but for pools at a start
WITH storage AS (
    SELECT
        *, record_no IN (SELECT record_no FROM smf115_qwhs) AS has_qwhs, smf_time NOT IN (
            SELECT smf_time FROM smf_record WHERE record_type = 115 AND record_subtype = 1
        ) AS is_alone
    FROM smf_record WHERE record_subtype IN (5, 6, 7)
)
SELECT
    count(*) FILTER (has_qwhs) = 0, coalesce(bool_and(record_subtype = 5) FILTER (is_alone), true),
    count(*) FILTER (is_alone) = CASE
        WHEN count(*) = 0 THEN 0 WHEN bool_or(subsystem_id = 'SYQ1') THEN 2 ELSE 1
    END
FROM storage;

-- the first statistics after a restart are followed by another record of 935
WITH kinds AS (
    SELECT record_subtype AS kind, row_number() OVER (ORDER BY record_no) AS n FROM smf_record
    WHERE record_type = 115 AND record_subtype IN (1, 2, 215, 240)
)
SELECT
    count(*) = 1, (
        SELECT list(kind ORDER BY n) FROM kinds AS k WHERE k.n BETWEEN any_value(kinds.n) - 3 AND any_value(kinds.n)
    ) = [1, 2, 215, 240],
    (SELECT list(qwhsiseq) FROM smf115_qwhs WHERE record_subtype = 240) = [1]
FROM kinds WHERE kind = 240;

-- queues that do not fit go into another record of 935
WITH more AS (FROM smf116_wq WHERE record_subtype = 2)
SELECT
    count(*) > 0, bool_and(correl IN (SELECT correl FROM smf116_wq WHERE record_subtype = 1)),
    (SELECT sum(wtaswqct) - 10 * count(*) FROM smf116_wtas WHERE wtaswqct > 10) = count(*),
    (SELECT max(length) FROM smf_record) < 32760
FROM more;

-- accounting intervals follow each other
SELECT
    wtasints < wtasinte,
    coalesce(lag(wtasinte) OVER (PARTITION BY wtasmthr, wtasstrt ORDER BY record_no), wtasints) = wtasints
FROM smf116_wtas;

-- a task without queues has no pointer to them
SELECT
    length = 28 + 3 * 8 + 36 + 92 + if((SELECT any_value(sm115rel) FROM smf115_header) = '946', 16, 0) + 208 + 2344
FROM smf116_wtas JOIN smf_record USING (record_no) WHERE wtaswqct = 0;

-- CPU times of calls are less than elapsed times
SELECT openct <= openet, closect <= closeet, getct <= getet, putct <= putet, put1ct <= put1et FROM smf116_wq;

-- CPU times of tasks are less than elapsed times
SELECT wtascmct <= wtascmet, wtasjwet <= wtascmet FROM smf116_wtas;

-- jobs that end write their clocks of 935
SELECT
    (SELECT list(DISTINCT qwhccn ORDER BY qwhccn) FROM smf116_qwhc WHERE record_subtype = 0) = ['SYNLOAD', 'SYNPOST'],
    sum(qmacputd) = (SELECT sum(validput) FROM smf116_wq WHERE basename = 'SYN.SETTLE.FILE'), sum(qmacputd) > 0,
    (SELECT bool_and(qwacejst >= qwacbjst) FROM smf116_qwac)
FROM smf116_qmac;

-- every record is marked as synthetic of 800, 935, 1000, ams
SELECT system_id = 'SYN1', record_type IN (2, 3) OR starts_with(subsystem_id, 'SYQ') FROM smf_record;

-- audit records are valid of ams
SELECT
    count(*) = 240, count(*) = (SELECT count(*) FROM smf180_product),
    sum(rb41nrc) = (SELECT count(*) FROM smf180_recipient), sum(rb41nrc) > 0,
    count(*) FILTER (rb41dec = 4) BETWEEN 1 AND 29, bool_and(rb41rsn = 2063) FILTER (rb41dec = 4),
    bool_and(rb41aud = 0) FILTER (rb41dec = 2), bool_and(starts_with(queue_name, 'SYN.PAY')),
    bool_and(octet_length(message_id) = 24) FILTER (rb41act IN (2, 3, 4)),
    (SELECT bool_and(starts_with(rb41rcrp, 'CN=syn-recipient-')) FROM smf180_recipient)
FROM smf180_data;
