with hardware as (select * from {{ days(ref("int_zos_devices__hardware")) }} where processor_type <> 'all')

select *
from hardware
