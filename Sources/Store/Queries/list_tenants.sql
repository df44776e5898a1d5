-- All tenants; read once at start.
select tenant_key, name, policy, is_paused, mode, created_at from tenant order by tenant_key
