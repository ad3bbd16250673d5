{{ consistent_models(marts("runs")) }}
