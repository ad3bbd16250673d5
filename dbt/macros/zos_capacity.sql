{# Shared by the models of capacity. #}

{# The mean of a column over intervals, weighted by their length; intervals without a value are left out. #}
