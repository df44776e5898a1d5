import API
import Domain
import Providers

/// What the senders know of provider credentials, for the admin API.
struct CredentialChecker: ProviderCredentialChecking {
    func summary(
        of credential: [UInt8], provider: String
    ) throws(ProviderCredentialFault) -> [UInt8] {
        do throws(CredentialError) {
            switch provider {
            case APNsCredential.provider: return try APNsCredential.parse(credential).summary
            case FCMCredential.provider: return try FCMCredential.parse(credential).summary
            default: break
            }
        } catch {
            throw ProviderCredentialFault(field: error.field, problem: error.problem)
        }
        throw ProviderCredentialFault(field: "provider", problem: "is not served by this version")
    }

    func row(_ tenant: TenantKey, provider: String) -> String {
        SecretRows.credential(tenant, provider: provider)
    }
}
