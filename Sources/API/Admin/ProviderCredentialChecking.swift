package import Domain

/// What the senders' side knows of provider credentials: how they look, and under which name they are sealed.
package protocol ProviderCredentialChecking: Sendable {
    /// The credential as it came, JSON, of `apns`, `fcm` or `webpush`: what may be shown of it, a JSON
    /// object of ids and dates.
    func summary(of credential: [UInt8], provider: String) throws(ProviderCredentialFault) -> [UInt8]
    /// The row under which the senders will open it.
    func row(_ tenant: TenantKey, provider: String) -> String
}

/// What is wrong with a credential: the field, and why; never its content.
package struct ProviderCredentialFault: Error, Equatable, Sendable {
    package let field: String
    package let problem: String

    package init(field: String, problem: String) {
        self.field = field
        self.problem = problem
    }
}
