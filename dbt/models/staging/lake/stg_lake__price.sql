select currency, valid_from, valid_until, machine, msu_hour, cp_second, network_gb
from {{ source("meta", "price") }}
