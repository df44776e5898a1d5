package import Wire

/// The service account with which one Firebase project is spoken to.
package struct FCMCredential: Sendable {
    package static let provider = "fcm"

    package let projectID: String
    package let privateKeyID: String
    package let privateKey: RSASHA256.PrivateKey
    package let clientEmail: String
    /// Where access tokens are fetched.
    package let tokenURI: ProviderEndpoint

    /// Reads `{"service_account": {…the file as Google gives it…}}`;
    /// members of the file that are not used are let be.
    package static func parse(_ json: [UInt8]) throws(CredentialError) -> FCMCredential {
        let account = try CredentialReader(json, known: ["service_account"]).object("service_account")
        if let type = account.stringIfPresent("type"), type != "service_account" {
            throw account.error("type", "must be \"service_account\"")
        }
        let pem = try account.string("private_key")
        guard let key = try? RSASHA256.PrivateKey(pem: Array(pem.utf8)) else {
            throw account.error(
                "private_key", "must be the PEM text of an RSA private key of 2048 bits or more")
        }
        let uri = account.stringIfPresent("token_uri") ?? "https://oauth2.googleapis.com/token"
        guard let endpoint = ProviderEndpoint(uri), endpoint.path != "/" else {
            throw account.error("token_uri", "must be an https URL")
        }
        return FCMCredential(
            projectID: try projectID(account), privateKeyID: try account.string("private_key_id"),
            privateKey: key,
            clientEmail: try account.string("client_email"), tokenURI: endpoint)
    }

    /// What may be shown of it.
    package var summary: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("project_id", projectID)
        writer.member("private_key_id", privateKeyID)
        writer.member("client_email", clientEmail)
        writer.endObject()
        return writer.bytes
    }

    private static func projectID(_ account: CredentialReader) throws(CredentialError) -> String {
        let id = try account.string("project_id")
        let isID = id.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E, 0x3A: true
            default: false
            }
        }
        guard isID, id.utf8.count <= 128 else { throw account.error("project_id", "is no project id") }
        return id
    }
}
