select * from {{ ref("print_verdict") }}
