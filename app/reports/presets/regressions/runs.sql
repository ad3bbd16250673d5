-- How many runs are loaded.
select count(*) as runs
from marts.fct_run
