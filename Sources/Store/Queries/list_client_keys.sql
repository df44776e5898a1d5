-- All client keys, sealed; read once at start.
select tenant_key, kid, algorithm, sealed from client_key order by tenant_key, kid
