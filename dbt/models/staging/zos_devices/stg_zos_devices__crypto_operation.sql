{# Sections per card kind, as (table, prefix of the section's common fields, kind). #}
{% set sections = [
    ("smf70_2_crypto_cca_coprocessor", "r7023", "CCA coprocessor"),
    ("smf70_2_crypto_accelerator", "r7024", "accelerator"),
    ("smf70_2_crypto_pkcs11_coprocessor", "r7025", "PKCS #11 coprocessor"),
] %}

{# Operations per card kind, as (operation, count, execution time, validity bit, whether per
   engine). #}
{% set operations = {
    "r7023": [
        ("all", "r7023c0", "r7023t0", "r7023all", false),
        ("RSA key generation", "r7023c1", "null", "r7023rsa", false),
    ],
    "r7024": [
        ("RSA 1024 ME", "r7021mec", "r7021met", "r7021km", true),
        ("RSA 2048 ME", "r7022mec", "r7022met", "r7022km", true),
        ("RSA 4096 ME", "r7023mec", "r7023met", "r7023km", false),
        ("RSA 1024 CRT", "r7021crc", "r7021crt", "r7021kc", true),
        ("RSA 2048 CRT", "r7022crc", "r7022crt", "r7022kc", true),
        ("RSA 4096 CRT", "r7023crc", "r7023crt", "r7023kc", false),
    ],
    "r7025": [
        ("slow asymmetric", "r7025sac", "r7025sat", "r7025sa", false),
        ("fast asymmetric", "r7025fac", "r7025fat", "r7025fa", false),
        ("symmetric, partial result", "r7025spc", "r7025spt", "r7025sp", false),
        ("symmetric, complete result", "r7025scc", "r7025sct", "r7025sc", false),
        ("asymmetric key generation", "r7025agc", "r7025agt", "r7025ag", false),
    ],
} %}

with
    source as (

        {% for table, prefix, kind in sections %}
            {% set last_section = loop.last %}
            {% for operation, count, time, valid, by_engine in operations[prefix] %}
                select
                    source_id,
                    record_no,
                    section_no,
                    '{{ kind }}' as card_kind,
                    {{ prefix }}ax as card_number,
                    {{ label_of(prefix ~ "ct", table, prefix ~ "ct") }} as card_type,
                    {{ label_of(prefix ~ "scope", table, prefix ~ "scope") }} as scope,
                    case when {{ prefix }}scope = 1 then {{ prefix }}did end as domain,
                    {{ "r7024en" if prefix == "r7024" else "1" }} as engines,
                    '{{ operation }}' as operation,
                    {{ engines_total(count) if by_engine else count }} as operations,
                    {{ engines_total(time) if by_engine else time }} * {{ prefix }}sf as execution_seconds
                from {{ source("zos_devices", table) }}
                where {{ valid }} {{ "union all" if not (last_section and loop.last) }}
            {% endfor %}
        {% endfor %}

    )

select
    source_id,
    record_no,
    section_no,
    card_kind,
    card_number,
    card_type,
    scope,
    domain,
    engines,
    operation,
    operations,
    cast(execution_seconds as double) as execution_seconds
from source
