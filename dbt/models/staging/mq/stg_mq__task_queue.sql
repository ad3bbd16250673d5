{% set topic_times = ["topicopensrb", "topicputsrb", "topicput1srb", "topicclosesrb"] %}
{# Those below zero make totals unknown. #}
{% set times = topic_times + ["setjwet", "setjcet"] %}
{% for verb in ["open", "close", "get", "put", "put1", "inq", "set", "cb"] %}
    {% do times.extend([verb ~ "et", verb ~ "ct"]) %}
{% endfor %}
{% for verb in ["get", "put", "put1"] %}
    {% do times.extend([verb ~ "jwet", verb ~ "jcet", verb ~ "pset", verb ~ "suset"]) %}
{% endfor %}

with
    source as (select * from {{ source("mq", "smf116_wq") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            {{ thread_id_of_correlator("correl") }} as thread_id,
            objname as queue_name,
            basename as base_queue_name,
            qtype as queue_type_code,
            indxtype as index_type_code,
            qsgdisp as disposition_code,
            {{ negative_times(times) }} as time_issue,
            opentime as opened_at_utc,
            clostime as closed_at_utc,
            nps as page_set,
            nbuffpool as buffer_pool,
            cfstrucname as cf_structure_name,
            openn as open_count,
            {{ seconds("openet") }} as open_elapsed_seconds,
            {{ seconds("openct") }} as open_cpu_seconds,
            closen as close_count,
            {{ seconds("closeet") }} as close_elapsed_seconds,
            {{ seconds("closect") }} as close_cpu_seconds,
            getn as get_count,
            {{ seconds("getet") }} as get_elapsed_seconds,
            {{ seconds("getct") }} as get_cpu_seconds,
            putn as put_count,
            {{ seconds("putet") }} as put_elapsed_seconds,
            {{ seconds("putct") }} as put_cpu_seconds,
            put1n as put1_count,
            {{ seconds("put1et") }} as put1_elapsed_seconds,
            {{ seconds("put1ct") }} as put1_cpu_seconds,
            inqn as inq_count,
            {{ seconds("inqet") }} as inq_elapsed_seconds,
            {{ seconds("inqct") }} as inq_cpu_seconds,
            setn as set_count,
            {{ seconds("setet") }} as set_elapsed_seconds,
            {{ seconds("setct") }} as set_cpu_seconds,
            cbn as cb_count,
            {{ seconds("cbet") }} as cb_elapsed_seconds,
            {{ seconds("cbct") }} as cb_cpu_seconds,
            {{ seconds("getjwet") }} as get_log_write_seconds,
            {{ seconds("getjcet") }} as get_log_force_seconds,
            {{ seconds("putjwet") }} as put_log_write_seconds,
            {{ seconds("putjcet") }} as put_log_force_seconds,
            {{ seconds("put1jwet") }} as put1_log_write_seconds,
            {{ seconds("put1jcet") }} as put1_log_force_seconds,
            {{ seconds("setjwet") }} as set_log_write_seconds,
            {{ seconds("setjcet") }} as set_log_force_seconds,
            {{ seconds("getpset") }} as get_page_set_seconds,
            getpsn as get_page_set_ios,
            {{ seconds("putpset") }} as put_page_set_seconds,
            putpsn as put_page_set_ios,
            {{ seconds("put1pset") }} as put1_page_set_seconds,
            put1psn as put1_page_set_ios,
            {{ seconds("getsuset") }} as get_suspend_seconds,
            {{ seconds("putsuset") }} as put_suspend_seconds,
            {{ seconds("put1suset") }} as put1_suspend_seconds,
            {{ seconds("opensuet") }} as open_suspend_seconds,
            {{ seconds("closesuet") }} as close_suspend_seconds,
            getbrwa + getbrws as browse_gets,
            geta + gets as destructive_gets,
            geterr as failed_gets,
            getepage as pages_skipped,
            getsmsg as messages_skipped,
            getexmsg as expired,
            {{ unsigned("putbytes") }} as put_bytes,
            {{ unsigned("getbytes") }} as get_bytes,
            validput as valid_puts,
            validget as valid_gets,
            putpmsg + put1pmsg as persistent_puts,
            getpmsg as persistent_gets,
            maxqdpth as max_depth,
            {{ seconds("maxlatnt") }} as max_time_on_queue_seconds,
            {{ seconds("minlatnt") }} as min_time_on_queue_seconds,
            {{ seconds("totlatnt") }} as time_on_queue_seconds,
            putpwg + put1pwg as puts_to_waiting_getter,
            {{ table_total("mqcfreq_cfcount") }} as cf_requests,
            {{ table_seconds("mqcfreq_cfsyncet") }} + {{ table_seconds("mqcfreq_cfasyncet") }} as cf_seconds,
            {{ seconds(topic_times | join(" + ")) }} as topic_srb_seconds,
            ftopic as is_topic
        from source

    )

select *
from renamed
