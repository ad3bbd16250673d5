{{ metrics() }}
