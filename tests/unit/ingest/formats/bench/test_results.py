# ruff: noqa: E501 (outputs have long lines)
"""Results of tools and plain tables: the figures of each reader, traps, and clear refusals.

The outputs are short ones in the tools' own form. The figures are real ones, as found in public
repositories: k6 (console: gmagmeg/performance-md; JSON: a report of pwrdrvr's lambda dispatcher),
JMeter (JTL; statistics.json: a test of Alioth4J/corneast), Gatling, vegeta (a notebook of Seldon
Core), wrk, wrk2 (two runs of a report on a
key-value store), fio, iperf3 (a client of release 3.6), OpenMessaging (a test of Redpanda; its delays are
made up), Kafka, RabbitMQ PerfTest, JMH (jzillmann/jmh-visualizer), go (cep21/circuit), and Google
Benchmark's own README. pytest-benchmark 5.3.1 and an empty run of Locust 2.47.0 were run for this
test. The requests of Locust are from bradmasy/LENZ-API and from a page on slow products, hyperfine's
figures from jtmoon79/super-speedy-syslog-searcher; short texts beside them are made up.
"""

import io
import json
from datetime import datetime

import polars as pl
import pytest

from ingest.formats.bench import outcome, tables
from ingest.formats.bench.results import About

AT = datetime(2026, 3, 1, 10)
ABOUT = About("x.json", AT)


def figures(content, about=ABOUT):
    content = content if isinstance(content, bytes | str) else json.dumps(content)
    content = content.encode() if isinstance(content, str) else content
    assert outcome.recognise(content)
    parsed = outcome.parse_file(content, about)
    assert parsed.rejected == []
    found = {}
    for row in parsed.tables["bench_measurement"].rows(named=True):
        key = row["metric"] if row["record_no"] == 1 else (row["record_no"], row["metric"])
        found[key] = (row["value"], row["unit"], row["more_is_better"])
    return found


K6 = {"http_reqs": {"count": 1587, "rate": 528.3735309289374},
      "http_req_failed": {"passes": 0, "fails": 1587, "value": 0, "thresholds": {"rate<0.01": False}},
      "http_req_duration": {"avg": 3.8487845677378676, "min": 1.523364, "med": 3.558046,
                            "max": 21.068284, "p(90)": 5.2534876, "p(95)": 7.5932397},
      "http_req_duration{expected_response:true}": {"avg": 3.8487845677378676}}  # fmt: skip


def test_k6_counts_failures_as_passes_and_its_values_may_stand_deeper():
    expected = {
        "HTTP requests per second": (528.373530928937, "1/s", True),
        "failed HTTP requests": (0.0, "%", False),
        "HTTP request p50": (3.558046, "ms", False),
        "HTTP request p90": (5.2534876, "ms", False),
        "HTTP request p95": (7.5932397, "ms", False),
        "HTTP request mean": (3.848784567738, "ms", False),
    }
    assert figures({"metrics": K6}) == expected
    deeper = {n: {"values": {**m, "rate": m.get("rate", m.get("value"))}} for n, m in K6.items()}
    assert figures({"metrics": deeper}) == expected


def test_k6_on_the_console():
    text = (
        "    http_req_duration.......: avg=14.56ms min=10.25ms med=13.44ms max=36.87ms p(90)=18.9ms"
        " p(95)=21.44ms\n    http_req_failed.........: 0.00%  0 out of 1671\n"
        "    http_reqs...............: 1671   39.461455/s\n"
    )
    found = figures(text)
    assert found["HTTP requests per second"][0] == 39.461455
    assert found["HTTP request p95"] == (21.44, "ms", False)
    assert found["failed HTTP requests"][0] == 0


JTL = """timeStamp,elapsed,label,responseCode,threadName,success,bytes
1499876021193,95,ipify,200,T 1-84,true,220
1499876018809,2384,ipify,200,T 1-84,true,220
1499876021288,20,,500,T 1-84,false,220
1499876021308,12,,200,T 1-84,true,220
"""


def test_a_jtl_is_read_out_of_order_and_with_an_empty_label():
    found = figures(JTL)
    assert found["requests per second"][0] == pytest.approx(4 / 2.511)
    assert found["errors"] == (25.0, "%", False)
    assert found["(no label) errors"][0] == 50
    assert found["ipify mean"] == (1239.5, "ms", False)
    assert [found[f"p{share}"][0] for share in (50, 95, 99)] == [95, 2384, 2384]
    assert found["(no label) p99"] == (20.0, "ms", False)
    run = outcome.parse_file(JTL.encode(), ABOUT).tables["bench_run"].row(0, named=True)
    assert run["start_utc"] == datetime(2017, 7, 12, 16, 13, 38, 809000)


JMETER = {"transaction": "Total", "sampleCount": 1000000, "errorCount": 0, "errorPct": 0.0,
          "meanResTime": 18.627447000000156, "medianResTime": 5.0, "pct1ResTime": 7.0,
          "pct2ResTime": 8.0, "pct3ResTime": 23.0, "throughput": 35789.69972441931}  # fmt: skip


def test_jmeter_writes_nan_and_infinity_as_texts():
    found = figures({"Total": JMETER, "Home": JMETER | {"throughput": 0.05}})
    assert found["requests per second"][0] == pytest.approx(35789.69972441931)
    assert found["p95"] == (8.0, "ms", False)
    assert found["p99"] == (23.0, "ms", False)
    assert found["Home requests per second"] == (0.05, "1/s", True)
    found = figures({"Total": JMETER | {"pct1ResTime": "NaN", "throughput": "Infinity"}})
    assert "requests per second" not in found
    assert "p90" not in found


def test_locust_has_percentiles_of_any_columns():
    text = (
        "Type,Name,Request Count,Failure Count,Average Response Time,Requests/s,50%,95%,99.9%,100%\n"
        "GET,/start,900,0,50,30.0,40,110,290,300\n,Aggregated,1000,10,55,33.3,45,120,700,800\n"
    )
    found = figures(text)
    assert found["requests per second"] == (33.3, "1/s", True)
    assert found["errors"][0] == 1
    assert found["GET /start p99.9"] == (290.0, "ms", False)
    assert "p100" not in found


LOCUST = """Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min \
Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,\
98%,99%,99.9%,99.99%,100%
POST,/login,5,0,2800.0,2611.5410000027623,1006.4790000033099,3373.07659999351,66.0,\
0.08712240228664733,0.0,2800,3100,3100,3400,3400,3400,3400,3400,3400,3400,3400
GET,/photo,46,0,600.0,1827.480682609704,554.7529000032227,11512.270799983526,10517764.56521739,\
0.8015261010371555,0.0,600,1300,2500,3200,4500,6000,12000,12000,12000,12000,12000
,Aggregated,56,0,620.0,1904.5125642868309,554.7529000032227,11512.270799983526,8639612.785714285,\
0.9757709056104501,0.0,870,2500,2800,3200,4400,6000,6600,12000,12000,12000,12000
"""
LOCUST_WITHOUT_SIZES = """Type,Name,Request Count,Failure Count,Median Response Time,Average \
Response Time,Min Response Time,Max Response Time,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,\
99%,99.9%,99.99%,100%
GET,/api/v1/products,30723,9267,18000.0,17833.31925543083,1.3985999994474696,46166.81850000077,\
153.69082080590806,46.35786988277024,18000,28000,29000,30000,37000,39000,40000,41000,44000,46000,46000
"""


def test_locust_rounds_percentiles_up_so_the_largest_is_no_figure():
    found = figures(LOCUST)
    assert found["requests per second"] == (0.9757709056104501, "1/s", True)
    assert found["mean"] == (1904.5125642868309, "ms", False)
    assert found["GET /photo p99"] == (12000.0, "ms", False)  # the longest took 11512 ms
    assert found["POST /login p50"] == (2800.0, "ms", False)
    found = figures(LOCUST_WITHOUT_SIZES)
    assert found["GET /api/v1/products errors"] == (pytest.approx(30.163070), "%", False)
    assert found["GET /api/v1/products p95"] == (39000.0, "ms", False)


WRK_EMPTY = """Running 1s test @ http://localhost:1/
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.00us    0.00us   0.00us    -nan%
  0 requests in 1.00s, 0.00B read
Requests/sec:      0.00
Transfer/sec:       0.00B
"""
EMPTY = """Type,Name,Request Count,Failure Count,Average Response Time,Requests/s,50%,95%,100%
,Aggregated,0,0,0.0,0.0,N/A,N/A,N/A
"""


@pytest.mark.parametrize("content", [
    EMPTY,
    ('{"latencies": {"mean": 0, "50th": 0, "99th": 0}, "wait": 0, "requests": 0, "rate": 0,'
     ' "throughput": 0, "success": 0, "status_codes": {}}'),
    WRK_EMPTY,
])  # fmt: skip
def test_a_run_without_requests_has_no_figures(content):
    parsed = outcome.parse_file(content.encode(), ABOUT)
    assert "bench_run" not in parsed.tables
    assert "without figures" in parsed.rejected[0].reason


def test_gatling_has_a_dash_where_nothing_failed():
    stats = {"numberOfRequests": {"total": 156, "ok": 156, "ko": 0},
             "meanResponseTime": {"ok": "586", "ko": "-"}, "percentiles1": {"ok": "587"},
             "percentiles3": {"ok": "633"},
             "meanNumberOfRequestsPerSecond": {"total": "2.943", "ko": "-"}}  # fmt: skip
    found = figures({"stats": stats, "contents": {"a": {"name": "tags", "stats": stats}}})
    assert found["requests per second"] == (2.943, "1/s", True)
    assert found["tags p95"] == (633.0, "ms", False)


def test_vegeta_gives_nanoseconds_and_its_own_time():
    vegeta = {"latencies": {"total": 3013824928755, "mean": 263055331, "50th": 261546418,
                            "90th": 289796292, "95th": 297608972, "99th": 324027882},
              "earliest": "2020-08-06T13:54:42.340084846Z", "duration": 29999895546,
              "wait": 284884299, "requests": 11457, "rate": 381.9013297040498,
              "throughput": 378.3088422183642, "success": 1, "status_codes": {"200": 11457}}  # fmt: skip
    found = figures(vegeta)
    assert found["p99"] == (324.027882, "ms", False)
    assert found["successful requests per second"] == (378.308842218364, "1/s", True)
    assert found["successful requests"] == (100.0, "%", True)
    run = outcome.parse_file(json.dumps(vegeta).encode(), ABOUT).tables["bench_run"]
    assert run["start_utc"].item() == datetime(2020, 8, 6, 13, 54, 42, 340084)
    assert run["stop_utc"].item() == datetime(2020, 8, 6, 13, 55, 12, 339980)


WRK = """Running 30s test @ http://localhost:8080/
  1 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    57.35ms    2.60ms 132.21ms   95.56%
  Latency Distribution
     50%   57.06ms
     99%   1.02s
  52259 requests in 30.00s, 53.54GB read
Requests/sec:   1741.75
Transfer/sec:      1.78GB
"""


def test_several_runs_in_one_text_are_several_runs():
    found = figures(WRK + "\n" + WRK.replace("1741.75", "1800"))
    assert found["p99 latency"] == (1020.0, "ms", False)
    assert found["transfer rate"][0] == pytest.approx(1.78 * 1024)
    assert found[2, "requests per second"] == (1800.0, "1/s", True)


WRK2 = """-t1 -c64 -d60s -R2000 -s ./wrk/put.lua --latency http://localhost:8081
Running 1m test @ http://localhost:8081
  1 threads and 64 connections
  Thread calibration: mean lat.: 1.520ms, rate sampling interval: 10ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.47ms  705.08us  10.63ms   68.84%
    Req/Sec     2.11k   260.26     3.56k    67.12%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.40ms
 99.000%    3.00ms
 99.990%    8.04ms
100.000%   10.64ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.066     0.000000            1         1.00
       1.405     0.500000        49721         2.00
      10.639     1.000000        99359          inf
#[Mean    =        1.473, StdDeviation   =        0.705]
#[Max     =       10.632, Total count    =        99359]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
  119714 requests in 1.00m, 9.48MB read
Requests/sec:   1995.19
Transfer/sec:    161.72KB


-t64 -c64 -d60s -R40000 -s ./wrk/put.lua --latency http://localhost:8080
Running 1m test @ http://localhost:8080
  64 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   665.96us  368.07us  17.34ms   72.26%
    Req/Sec   672.65     47.64     1.78k    75.35%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%  653.00us
100.000%   17.36ms
"""


def test_wrk2_has_more_digits_of_percentiles_and_a_spectrum():
    found = figures(WRK2)
    assert {name: found[name] for name in found if name[0] != 2} == {
        "requests per second": (1995.19, "1/s", True),
        "mean latency": (1.47, "ms", False),
        "p50 latency": (1.40, "ms", False),
        "p99 latency": (3.00, "ms", False),
        "p99.99 latency": (8.04, "ms", False),
        "transfer rate": (pytest.approx(161.72 / 1024), "MB/s", True),
    }
    assert found[2, "p50 latency"] == (0.653, "ms", False)
    assert found[2, "mean latency"] == (0.66596, "ms", False)


def test_fio_is_named_by_its_job_and_has_text_before_its_json():
    job = {"jobname": "rand_read", "job options": {"rw": "randrw"},
           "read": {"iops": 85138.89, "bw_bytes": 348743777, "total_ios": 2554337,
                    "lat_ns": {"mean": 1446562}, "clat_ns": {"percentile": {"99.000000": 2e6}}},
           "write": {"iops": 0, "total_ios": 0}}  # fmt: skip
    text = "fio: warning\n" + json.dumps(
        {"fio version": "fio-3.1", "jobs": [job, job | {"jobname": "b"}]}
    )
    found = figures(text)
    assert found["rand_read read IOPS"] == (85138.89, "1/s", True)
    assert found["b read completion latency p99"] == (2000.0, "us", False)
    assert not any("write" in name for name in found)


@pytest.mark.parametrize("sent", [0, 356078146.15893316])
def test_iperf3_counts_what_was_received(sent):
    found = figures({"start": {"connected": [], "timestamp": {"timesecs": 1626815141}},
                     "intervals": [],
                     "end": {"sum_sent": {"bits_per_second": sent, "retransmits": 414},
                             "sum_received": {"bits_per_second": 350296574.28915393,
                                              "seconds": 4.78421688079834}}})  # fmt: skip
    assert found["received"] == (350.296574289154, "Mb/s", True)
    assert found["retransmits"] == (414.0, "count", False)


def test_openmessaging_delays_are_microseconds():
    found = figures({"publishRate": [10337.6, 10004.5, 10001.7, 9997.3, 10003.7, 9997.1],
                     "consumeRate": [10336.5, 10004.5, 9999.6, 9998.3, 10001.6, 9998.2],
                     "aggregatedPublishLatencyAvg": 8.163, "aggregatedPublishLatency99pct": 14.33,
                     "aggregatedEndToEndLatency99pct": 15.268,
                     "aggregatedPublishDelayLatency99pct": 91})  # fmt: skip
    assert found["publish rate"] == (pytest.approx(10056.983333), "1/s", True)
    assert found["publish latency p99"] == (14.33, "ms", False)
    assert found["end-to-end latency p99"] == (15.268, "ms", False)
    assert found["publish delay p99"] == (91.0, "us", False)


def test_rabbitmq_and_kafka():
    found = figures(
        "id: t-1, sending rate avg: 48299 msg/s\nid: t-1, receiving rate avg: 48239 msg/s\n"
        "id: t-1, consumer latency min/median/75th/95th/99th 4806/71105/144776/342223/377734 µs\n"
    )
    assert found["receiving rate"] == (48239.0, "1/s", True)
    assert found["consumer latency p95"] == (342223.0, "us", False)
    found = figures(
        "4998 records sent, 999.2 records/sec (0.49 MB/sec), 13.5 ms avg latency, 526.0 ms max latency.\n"
        "10000 records sent, 999.3 records/sec (0.49 MB/sec), 8.51 ms avg latency, 526.00 ms max "
        "latency, 4 ms 50th, 50 ms 95th, 92 ms 99th, 92 ms 99.9th.\n"
    )
    assert found["records per second"][0] == 999.3
    assert found["p99.9 latency"] == (92.0, "ms", False)
    found = figures(
        "start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec\n"
        "2019-02-19 20:29:07:566, 2019-02-19 20:29:12:170, 9.5368, 2.0714, 100010, 21722.4153\n"
    )
    assert found["records per second"] == (21722.4153, "1/s", True)


def test_hyperfine_has_times_beside_its_means():
    found = figures({"results": [
        {"command": "s4_0.7.77", "mean": 0.34721515733333336, "stddev": 0.0022061126997868254,
         "median": 0.34669891150000004, "user": 0.29701803333333326, "system": 0.44120176666666666,
         "min": 0.34394707700000005, "max": 0.35471939, "times": [0.35471939, 0.346103957],
         "memory_usage_byte": [138768384, 138899456], "exit_codes": [0, 0]},
    ]})  # fmt: skip
    assert found == {
        "s4_0.7.77 mean": (0.347215157333, "s", False),
        "s4_0.7.77 p50": (0.3466989115, "s", False),
        "s4_0.7.77 user CPU time": (0.297018033333, "s", False),
        "s4_0.7.77 system CPU time": (0.441201766667, "s", False),
    }


def test_hyperfine_with_parameters_and_pytest_benchmark_of_an_early_version_without_ops():
    one = {"command": "sleep 1", "mean": 1.1, "stddev": 0.1, "median": 1.0}
    found = figures({"results": [one | {"parameters": {"n": "2"}}, one]})
    assert found["sleep 1 n=2 mean"] == (1.1, "s", False)
    stats = {"fullname": "t.py::test_a", "stats": {"mean": 0.5}}
    found = figures({"machine_info": {}, "datetime": "2026-01-02T03:04:05", "benchmarks": [stats]})
    assert found == {"t.py::test_a mean": (0.5, "s", False)}
    stats = {"fullname": "test_b.py::test_sum[10]", "params": {"n": 10},
             "stats": {"mean": 2.9209505442941676e-06, "ops": 342354.3072146224}}  # fmt: skip
    found = figures({"machine_info": {}, "datetime": "2026-11-24T20:25:18.573568+00:00",
                     "benchmarks": [stats], "version": "5.3.1"})  # fmt: skip
    assert found["test_b.py::test_sum[10] operations per second"] == (
        342354.3072146224,
        "1/s",
        True,
    )


def test_entries_of_jmh_are_told_apart_by_their_params_and_modes():
    def one(mode, n, score, unit):
        return {"benchmark": "com.a.Sample.run", "mode": mode, "params": {"n": n},
                "primaryMetric": {"score": score, "scoreError": "NaN", "scoreUnit": unit}}  # fmt: skip

    found = figures([one("thrpt", "1", 27.0, "ops/ms"), one("avgt", "1", 3.0, "ms/op"),
                     one("thrpt", "2", "NaN", "ops/ms"), one("avgt", "2", 4.0, "ms/op")])  # fmt: skip
    assert found == {
        "Sample.run (n=1) throughput": (27.0, "ops/ms", True),
        "Sample.run (n=1) average time": (3.0, "ms/op", False),
        "Sample.run (n=2) average time": (4.0, "ms/op", False),
    }


def test_jmh_of_a_visualizer():
    found = figures([{"benchmark": "io.morethan.javabenchmarks.datastructure.ListCreationBenchmark"
                      ".arrayList", "mode": "thrpt", "forks": 2, "primaryMetric": {
                          "score": 3467631.2300505415, "scoreUnit": "ops/s"}}])  # fmt: skip
    name = "ListCreationBenchmark.arrayList throughput"
    assert found == {name: (3467631.2300505415, "ops/s", True)}


def test_google_benchmark_and_a_name_in_two_packages_of_go():
    found = figures({"context": {"date": "2025-06-15T14:23:07+00:00", "num_cpus": 8},
                     "benchmarks": [{"name": "BM_Set/8", "real_time": 32317, "cpu_time": 32429,
                                     "time_unit": "ns", "items_per_second": 246693}]})  # fmt: skip
    assert found["BM_Set/8 time"] == (32317.0, "ns", False)
    assert found["BM_Set/8 items per second"] == (246693.0, "1/s", True)
    found = figures(
        "pkg: e/a\nBenchmarkRun-8  \t 100\t 10.0 ns/op\t 8 B/op\nBenchmarkRun-8  \t 100\t 12.0 ns/op\n"
        "pkg: e/b\nBenchmarkRun-8  \t 100\t 20.0 ns/op\n"
    )
    assert found["a Run time"] == (11.0, "ns/op", False)
    assert found["b Run time"] == (20.0, "ns/op", False)
    found = figures(
        "goos: darwin\ngoarch: amd64\npkg: github.com/cep21/circuit/benchmarking\n"
        "BenchmarkCiruits/Hystrix/Metrics/passing/1-8       \t 5000000\t       253 ns/op\t"
        "       0 B/op\t       0 allocs/op\n"
    )
    assert found["Ciruits/Hystrix/Metrics/passing/1 time"] == (253.0, "ns/op", False)


# --- plain tables -----------------------------------------------------------------------------

PLAIN = "start,build,clients,requests_per_second,p95_ms\n2026-01-05T03:00:00Z,b1,64,1000.9,40.6\n"


@pytest.mark.parametrize("content", [
    PLAIN.encode(), b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode(),
    PLAIN.replace(",", ";").replace("1000.9", "1000,9").encode(), PLAIN.replace(",", "\t").encode(),
    (b'{"start": "2026-01-05T03:00:00Z", "build": "b1", "clients": 64,'
    b' "requests_per_second": 1000.9, "p95_ms": 40.6}\n'),
    (b"start,build,clients,metric,value,unit\n"
    b"1767582000,b1,64,requests_per_second,1000.9,1/s\n1767582000,b1,64,p95,40.6,ms\n"),
])  # fmt: skip
def test_a_plain_table_in_any_form(content):
    assert figures(content, About("r.csv")) == {
        "requests_per_second": (1000.9, "1/s", True), "p95": (40.6, "ms", False)}  # fmt: skip
    tables = outcome.parse_file(content, About("r.csv")).tables
    assert tables["bench_run"]["start_utc"].to_list() == [datetime(2026, 1, 5, 3)]
    assert tables["bench_run_factor"].select("factor", "value").rows() == [("x_clients", "64")]
    assert ("git_revision", "b1") in tables["bench_run_label"].select("label", "value").rows()


def test_a_parquet_file():
    out = io.BytesIO()
    pl.DataFrame({"start": [AT], "p95_ms": [1.5]}).write_parquet(out)
    assert figures(out.getvalue(), About("r", time_zone="UTC")) == {"p95": (1.5, "ms", False)}


@pytest.mark.parametrize(("content", "metric", "figure"), [
    ("# nightly\n#by hand\n\nstart,p95_ms\n2026-01-05T03:00:00Z,1.5\n", "p95", (1.5, "ms", False)),
    ("start|p95_ms\n2026-01-05T03:00:00Z|1.5\n", "p95", (1.5, "ms", False)),
    ('[{"start": "2026-01-05T03:00:00Z", "p95_ms": 1.5}]', "p95", (1.5, "ms", False)),
    ("Timestamp (UTC),Throughput (req/s)\n2026-01-05 03:00:00,9\n", "Throughput", (9, "1/s", True)),
    ("start,requests/sec\n2026-01-05T03:00:00Z,9\n", "requests/sec", (9, "1/s", True)),
    ("start,avg latency ms\n2026-01-05T03:00:00Z,9\n", "avg latency", (9, "ms", False)),
    ("date,time,p95_ms\n2026-01-05,03:00:00Z,9\n", "p95", (9, "ms", False)),
    ("start;rate [MB/s]\n2026-01-05T03:00:00Z;1.234,5\n", "rate", (1234.5, "MB/s", True)),
    ("start,p95_ms,P95_us\n2026-01-05T03:00:00Z,1,2\n", "P95_us", (2, "us", False)),
    ("1767582000123,".join(["time,p95_ms\n", "9\n"]), "p95", (9, "ms", False)),
])  # fmt: skip
def test_a_table_as_people_write_it(content, metric, figure):
    found = figures(content, About("r.csv"))
    assert found[metric] == figure


@pytest.mark.parametrize(("seconds", "is_said"), [(1, True), (3600, False)])
def test_rows_that_may_be_samples_of_one_run_are_noted(seconds, is_said):
    rows = [f"{1767582000 + seconds * at},{at % 7}" for at in range(20)]
    content = "\n".join(["timestamp,cpu_percent", *rows]).encode()
    notes = tables.understand(content, About("r.csv")).notes
    assert any("s apart: each is read as a run" in note for note in notes) == is_said


def test_a_date_with_dots_is_day_month_year():
    about = About("r.csv", time_zone="Europe/Berlin")
    parsed = outcome.parse_file(b"start\tp95_ms\n02.01.2026 03:00\t5\n", about)
    assert parsed.tables["bench_run"]["start_utc"].to_list() == [datetime(2026, 1, 2, 2)]


COURSES = [
    "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,66%\n1767582000,10,,Aggregated,5,0,1,2\n",
    "metric_name,timestamp,metric_value,check\nhttp_reqs,1767582000,1.0,\n",
    '{"type":"Metric","data":{"name":"http_reqs","type":"counter"},"metric":"http_reqs"}\n',
    '{"metric":"http_reqs","type":"Metric","data":{"name":"http_reqs"}}\n',
]


@pytest.mark.parametrize("content", COURSES)
def test_what_a_tool_writes_while_it_runs_is_no_result(content):
    parsed = outcome.parse_file(content.encode(), ABOUT)
    assert "bench_run" not in parsed.tables
    assert "the course of a run, not its result" in parsed.rejected[0].reason


REFUSED = [
    ("start,metric,p50,p95\n2026-01-05T03:00:00Z,latency,1,2\n", 1, "no column is a figure"),
    ("start,p95_ms\n01/02/2026 03:00,1\n", 2, "is not a time such as"),
    ("# a\nstart,p95_ms\n2026-01-05T03:00:00Z,\n", 3, "the row has no figure"),
    ("start,p95_ms\n", 1, "a header and no rows"),
    ("start,p95_ms,p95_ms\n1,2,3\n", 1, "two columns are named 'p95_ms'"),
    ("start,p95_ms\n2026-01-05T03:00:00,1\n", 2, "give --time-zone"),
    ("start,p95_ms\nyesterday,1\n", 2, "is not a time such as"),
    ("when,p95_ms\n2026-01-05T03:00:00Z,1\n", 1, "--map start=COLUMN"),
    ("start,p95_ms\n2026-01-05T03:00:00Z,1\n2026-01-05T03:00:00Z,1,2\n", 3, "number of fields"),
    ("start;p95_ms\n2026-01-05T03:00:00Z;1,234\n", 2, "may be a decimal comma or thousands"),
    ("start,p95_ms\n2026-01-05T03:00:00Z,NaN\n", 2, "is not a finite number"),
    ("start,p95_ms\n2026-01-05T03:00:00Z,fast\n", 2, "column p95_ms: 'fast'"),
    ('{"metrics": {"http_reqs": {', 1, "was the file cut short?"),
    ("id: t, sending rate avg: 1 msg/s".replace("1 msg", "x msg"), 1, "without figures"),
]


@pytest.mark.parametrize(("content", "line", "reason"), REFUSED)
def test_what_cannot_be_read_is_refused_with_line_and_remedy(content, line, reason):
    assert outcome.recognise(content.encode())
    parsed = outcome.parse(content.encode())
    assert "bench_run" not in parsed.tables
    assert parsed.rejected[0].line == line
    assert reason in parsed.rejected[0].reason


@pytest.mark.parametrize("level", ["fast", "binary"])
def test_a_factor_may_have_any_name_and_level(level):
    content = f"start,mode,netwrok,p95_ms\n2026-01-05T03:00:00Z,{level},a,1\n".encode()
    rows = outcome.parse(content).tables["bench_run_factor"]["factor"].to_list()
    assert rows == [("mode" if level == "binary" else "x_mode"), "x_netwrok"]


def test_labels_mapping_campaign_and_direction_come_from_what_is_known_of_the_file():
    about = About("r.csv", campaign="c", time_zone="Europe/Berlin", labels={"machine": "m"},
                  columns={"start": "when"}, better={"depth": "more"})  # fmt: skip
    parsed = outcome.parse_file(b"when,depth_count\n2026-07-05 03:00:00,7\n", about)
    assert parsed.tables["bench_run"].select("campaign", "start_utc").row(0) == (
        "c", datetime(2026, 7, 5, 1))  # fmt: skip
    assert ("machine", "m") in parsed.tables["bench_run_label"].select("label", "value").rows()


def test_the_time_is_that_of_the_name_or_else_of_the_file():
    for name, start, source in (
        ("k6-2026-02-03T04-05-06.json", datetime(2026, 2, 3, 4, 5, 6), "name of the file"),
        ("k6.json", datetime(2026, 3, 1, 9, 59, 59), "time of the file"),
    ):
        content = json.dumps({"metrics": K6}).encode()
        tables = outcome.parse_file(content, About(name, AT)).tables
        assert tables["bench_run"]["start_utc"].item() == start
        assert ("time_from", source) in tables["bench_run_label"].select("label", "value").rows()
