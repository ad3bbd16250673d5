{{ consistent_models(marts("published")) }}
