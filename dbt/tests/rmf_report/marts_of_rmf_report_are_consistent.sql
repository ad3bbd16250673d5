{{ consistent_models(marts("rmf_report")) }}
