{# The figures that RMF's printed reports share with the marts of its records, by kind of subject:

   of        column that says what a report covers: a system or a sysplex
   printed   [staging model of the printed lines, filter, expression that names the subject]
   mart      [mart with the same figures, filter, expression that names the subject]
   figures   column of both -> [how several mart rows make one printed line (sum, or the column
             that weights their mean), last printed place]

   A count of more than five digits is printed in K, then in M. #}
{% macro rmf_report_subjects() -%}
    {% set class = {
        "transactions": ["sum", 1],
        "response_seconds": ["transactions", 1e-3],
        "tcb_seconds": ["sum", 1e-3],
        "srb_seconds": ["sum", 1e-3],
        "ziip_seconds": ["sum", 1e-3],
        "appl_percent": ["sum", 1e-2],
        "ziip_appl_percent": ["sum", 1e-2],
        "ziip_on_cp_appl_percent": ["sum", 1e-2],
    } %}
    {% set of_five_digits %}
        case
            when requests >= 1e7 and requests % 1000000 = 0 then 1e6
            when requests >= 1e5 and requests % 1000 = 0 then 1e3
            else 1
        end
    {% endset %}
    {{ return({
        "processor type": {
            "of": "system_id",
            "printed": ["processor", "is_total", "processor_type"],
            "mart": ["fct_processor_interval", "true", "processor_type"],
            "figures": {
                "lpar_busy_percent": ["sum", 1e-2],
                "mvs_busy_percent": ["sum", 1e-2],
                "io_interrupts_per_second": ["sum", 1e-2],
            },
        },
        "partition": {
            "of": "system_id",
            "printed": [
                "partition", "not is_total",
                "concat_ws(' ', trim(partition_name, '*'), processor_type)",
            ],
            "mart": [
                "fct_lpar_interval", "true", "concat_ws(' ', partition_name, processor_type)",
            ],
            "figures": {
                "effective_seconds": ["sum", 1e-3],
                "dispatch_seconds": ["sum", 1e-3],
                "lpar_busy_percent": ["sum", 1e-2],
                "machine_busy_percent": ["sum", 1e-2],
            },
        },
        "volume": {
            "of": "system_id",
            "printed": ["volume", "true", "concat_ws(' ', volume, right(device_number, 4))"],
            "mart": ["fct_volume_interval", "true", "concat_ws(' ', volume, device_number)"],
            "figures": {
                "requests_per_second": ["sum", 1e-3],
                "average_response_us": ["requests", 1],
                "average_ios_queue_us": ["requests", 1],
                "average_pending_us": ["requests", 1],
                "average_disconnect_us": ["requests", 1],
                "average_connect_us": ["requests", 1],
            },
        },
        "crypto card": {
            "of": "system_id",
            "printed": [
                "crypto", "operation = 'TOTAL'", "concat_ws(' ', card_type, card_number)",
            ],
            "mart": [
                "fct_crypto_card_interval", "scope = 'the machine'",
                "concat_ws(' ', card_type, card_number)",
            ],
            "figures": {
                "operations_per_second": ["sum", 1e-2],
                "average_execution_us": ["operations", 1],
                "utilisation_percent": ["operations", 1e-1],
            },
        },
        "service class period": {
            "of": "sysplex",
            "printed": [
                "workload", "service_class is not null and period is not null",
                "concat_ws(' ', service_class, period)",
            ],
            "mart": [
                "fct_service_class_period_interval", "true", "concat_ws(' ', service_class, period)",
            ],
            "figures": class,
        },
        "report class": {
            "of": "sysplex",
            "printed": ["workload", "report_class is not null and period is null", "report_class"],
            "mart": ["fct_report_class_interval", "true", "report_class"],
            "figures": class,
        },
        "coupling facility": {
            "of": "sysplex",
            "printed": ["coupling_facility", "true", "coupling_facility"],
            "mart": ["fct_cf_interval", "true", "coupling_facility"],
            "figures": {"busy_percent": ["processors", 1e-1]},
        },
        "structure requests": {
            "of": "sysplex",
            "printed": [
                "cf_request", "system_name <> 'TOTAL'",
                "concat_ws(' ', coupling_facility, structure_name, system_name, request_kind)",
            ],
            "mart": [
                "fct_cf_request_interval", "true",
                "concat_ws(' ', coupling_facility, structure_name, system_name, request_kind)",
            ],
            "figures": {"requests": ["sum", of_five_digits], "average_service_us": ["requests", 1e-1]},
        },
    }) }}
{%- endmacro %}

{# The unit of a figure, from the suffix of its name. #}
{% macro unit_of_figure(figure) -%}
    {% for end, unit in {
        "_percent": "percent", "_per_second": "1/s", "_seconds": "seconds", "_us": "microseconds",
    }.items() if figure.endswith(end) -%}
        {{ return(unit) }}
    {%- endfor %}
    {{ return("count") }}
{%- endmacro %}
