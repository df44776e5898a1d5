-- All provider credentials, sealed; read once at start.
select tenant_key, provider, summary, sealed, created_at
from provider_credential
order by tenant_key, provider
