select * from {{ ref("series_level") }}
