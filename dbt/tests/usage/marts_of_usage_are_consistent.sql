{{ consistent_models(marts("usage")) }}
