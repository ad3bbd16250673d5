{{ consistent_models(marts("zos_cpu")) }}
