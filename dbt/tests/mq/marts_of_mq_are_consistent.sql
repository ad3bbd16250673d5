{{ consistent_models(marts("mq")) }}
