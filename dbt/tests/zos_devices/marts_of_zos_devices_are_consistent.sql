{{ consistent_models(marts("zos_devices")) }}
