select * from {{ ref("pair_verdict") }} where kind <> 'expected'
