{# How the values of a numeric column of a mart add up over rows: mart's columns -> what follows
   "Adds up:" in their comments.

   sum                   over any rows
   sum over <keys>       over rows that differ in these columns only
   sum where <condition> over rows that others do not include
   sum, a wider bound    the bound of the sum lies further in than the sum of bounds
   average weighted by   a column or what is worked out from some
   ratio of <a> and <b>  the sum of a over that of b, times a constant
   last, greatest, least one of the values: of an interval's state, the last
   setting, key          no figure
   no                    cannot be worked out from the rows

   A mart says in config.meta.adds what these rules, the first of which counts, do not say of it: how ->
   patterns of names. A rule counts only where the mart has the columns that it names. #}
{% macro adding(node) %}
  {% set rules = [
      ("performance_index", "greatest"),
      ("\\w*record_no|section_no|order_no|repetition|sample|source_line|first_line|\\w+_(number|id|index)", "key"),
      ("record_(sub)?type|domain|period|buffer_pool|page_set|log_copy|mq_reason_code|process", "key"),
      ("publication_(year|month)|subchannel_set", "key"),
      ("utc_offset_minutes|importance|digits|cf_level|cipher_spec_code", "setting"),
      ("(\\w+_)?(max|most|highest|longest|peak|greatest|busiest)_\\w+|\\w+_max_us", "greatest"),
      ("(min|lowest|least)_\\w+|\\w+_min_us", "least"),
      ("\\w*deviation_\\w+|\\w+_standard_error|\\w+_median|r2|scatter_percent", "no"),
      ("(\\w+)_per_second", "ratio of \\1 and interval_seconds"),
      ("\\w+_per_second", "average weighted by interval_seconds"),
      ("(\\w+)_(cpu|elapsed)_us", "ratio of \\1_\\2_seconds and \\1_count"),
      ("(\\w+)_us_per_(message|request)", "ratio of \\1_seconds and \\2s"),
      ("(\\w+)_us_per_call", "ratio of \\1_seconds and mqi_calls"),
      ("(delay|average)_\\w+_(percent|us|bytes)", none),
      ("(interval|expected|covered)_seconds", "setting"),
      ("(ziip_share_percent|ziips_needed)_(low|high)", "no"),
      ("service_units|network_gb|\\w+_money", "sum"),
      ("money_per_\\w+", "setting"),
      ("\\w+_seconds_(low|high)", "sum, a wider bound"),
      ("\\w+_seconds|seconds", "sum"),
  ] %}
  {% set own, said = [], {} %}
  {% for how, names in node.config.meta.get("adds", {}).items() %}
    {% do own.append((names | join("|"), how)) %}
  {% endfor %}
  {% set number = "(tiny|small|big|huge)?int(eger)?|double|float|decimal.*" %}
  {% for column in node.columns.values() if modules.re.fullmatch(number, column.data_type or "") %}
    {% set counts = [("\\w+", "sum")] if column.data_type == "bigint" else [] %}
    {% for names, how in own + rules + counts if column.name not in said %}
      {% set found = modules.re.fullmatch(names, column.name) %}
      {% if found %}
        {% set how = found.expand(how) if how else none %}
        {% set missing = [] %}
        {% for name in modules.re.findall("\\w+", modules.re.sub("^.*?( of | by |$)", "", how or "")) %}
          {% if name != "and" and name not in node.columns %}{% do missing.append(name) %}{% endif %}
        {% endfor %}
        {% if not missing %}{% do said.update({column.name: how}) %}{% endif %}
      {% endif %}
    {% endfor %}
  {% endfor %}
  {{ return(said) }}
{% endmacro %}

{# At the end, note in meta.measure how the columns of all marts add up, for whoever aggregates them. #}
{% macro note_measures() %}
  {% if not execute %}{{ return("") }}{% endif %}
  {% set adds = {} %}
  {% for node in graph.nodes.values() if node.schema == "marts" %}
    {% do adds.update({node.alias: adding(node)}) %}
  {% endfor %}
  {% set table = "work.meta.measure" if builds_in_lake() else target.database ~ ".meta.measure" %}
  {% set comments = {
      "table " ~ table: "How each column of figures of the marts adds up over rows",
      "column " ~ table ~ ".mart": "The mart",
      "column " ~ table ~ ".name": "The column",
      "column " ~ table ~ ".adds": "sum, mean (weighted), ratio (of two sums), greatest, least, last; "
      ~ "setting and key: no figure; no: cannot be worked out from the rows",
      "column " ~ table ~ '."by"': "Of a mean its weight, of a ratio its denominator, of a sum the columns "
      ~ "that it is over, if not over all; SQL on the mart",
      "column " ~ table ~ ".says": "The same in words",
  } %}
  create or replace table {{ table }} as
  select
    mart.key as mart,
    told.key as name,
    told.value ->> '$' as says,
    case
      when says like 'average weighted by %' then 'mean'
      when says like 'ratio of %' then 'ratio'
      when says like 'sum%' then 'sum'
      else says
    end as adds,
    nullif(regexp_extract(says, '^(?:average weighted by|ratio of .* and|sum over) (.*)$', 1), '') as "by"
  from json_each('{{ tojson(adds) | replace("'", "''") }}'::json) as mart, json_each(mart.value) as told
  where says is not null;
  {% for what, comment in comments.items() %}
    comment on {{ what }} is '{{ comment }}';
  {% endfor %}
{% endmacro %}
