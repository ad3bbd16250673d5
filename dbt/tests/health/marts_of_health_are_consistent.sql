{{ consistent_models(marts("health")) }}
