/// What is wrong with a provider credential, told so that an operator can mend it; never its content.
package struct CredentialError: Error, Equatable, Sendable {
    /// The member of the body, for example `private_key`.
    package let field: String
    package let problem: String

    package init(field: String, problem: String) {
        self.field = field
        self.problem = problem
    }
}
