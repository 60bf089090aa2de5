import Glibc

/// A certificate for 127.0.0.1 and localhost that a test makes for itself, signed by nobody else: who believes it has to
/// be told so.
package struct ServerCertificate: Sendable {
    /// The file with the certificate.
    package let certificate: String
    /// The file with its key.
    package let key: String

    /// Makes one in a directory, by the command openssl.
    package init(in directory: String) async throws {
        certificate = "\(directory)/certificate.pem"
        key = "\(directory)/key.pem"
        let result = try await ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key,
                "-out", certificate,
            ])
        guard result.termination == .exited(0) else {
            throw ServerFailure(description: "openssl makes no certificate: \(result.errorText)")
        }
    }
}
