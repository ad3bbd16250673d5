{{ consistent_models(marts("lake"), also=["stg_lake__load"]) }}
