{{ consistent_models(marts("zos_capacity")) }}
