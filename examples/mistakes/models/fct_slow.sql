select count(*) as n from range(1000000000) as a, range(1000000000) as b
