-- All API keys, hashed; read once at start.
select tenant_key, prefix, key_hash, name, created_at from api_key order by tenant_key, created_at
