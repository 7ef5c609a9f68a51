// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The conformance suite of transports uses plain HTTP; only libcurl's transport reads a certificate file.
#if TLS && os(Linux)
    import Foundation
    import HTTPTypes
    import SoupLocalOrg
    import SoupCore
    import SoupKit
    import SoupTesting
    import Testing

    @Suite struct StandardTransportTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Runs `body` with an org that is served over TLS, its URL and its certificate.
        private func withOrg(_ body: @escaping @Sendable (LocalOrg, String, String) async throws -> Void) async throws {
            let org = try LocalOrg(seed: .tiny)
            let certificate = try OrgCertificate.selfSigned()
            let (urls, ready) = AsyncStream.makeStream(of: String.self)
            try await withThrowingTaskGroup { group in
                group.addTask { try await org.serve(certificate: certificate) { ready.yield($0) } }
                group.addTask {
                    guard let url = await urls.first(where: { _ in true }) else { return }
                    try await body(org, url, certificate.chain)
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        private func transport(trusting file: String?) throws -> any HTTPTransport {
            var json: JSONValue = ["type": "curl"]
            if let file { json["certificateFile"] = .string(file) }
            var problems: [ConfigurationProblem] = []
            let made = PluginRegistry.standard.transport(TransportReference(json), problems: &problems)
            #expect(problems.isEmpty)
            return try #require(made)
        }

        @Test func `Requests to an org with a trusted certificate succeed`() async throws {
            let file = folder.path + "/org.pem"
            try await withOrg { org, url, chain in
                try Data(chain.utf8).write(to: URL(filePath: file))
                let session = SessionTransport(
                    over: try transport(trusting: file),
                    credentials: SalesforceCredentials(instanceURL: url, accessToken: org.accessToken), retry: .never)
                let path = session.apiPath + "/sobjects/Account"
                for number in 0..<8 {
                    let request = HTTPRequest(
                        method: .post, scheme: nil, authority: nil, path: path,
                        headerFields: [.contentType: "application/json"])
                    let answer = try await session.send(request, body: Array(#"{"Name":"secure \#(number)"}"#.utf8))
                    #expect(answer.status == 201)
                }
                let names = try org.state(of: "Account").compactMap { $0["Name"]?.stringValue }
                #expect(names.filter { $0.hasPrefix("secure") }.sorted() == (0..<8).map { "secure \($0)" })
            }
        }

        /// A server without a trusted certificate must not receive the token.
        @Test(arguments: [true, false])
        func `Nothing is sent to a server with another certificate`(hasFile: Bool) async throws {
            let file = folder.path + "/other.pem"
            try Data(try OrgCertificate.selfSigned().chain.utf8).write(to: URL(filePath: file))
            try await withOrg { org, url, _ in
                let session = SessionTransport(
                    over: try transport(trusting: hasFile ? file : nil),
                    credentials: SalesforceCredentials(instanceURL: url, accessToken: org.accessToken), retry: .never)
                let request = HTTPRequest(
                    method: .post, scheme: nil, authority: nil, path: session.apiPath + "/sobjects/Account",
                    headerFields: [.contentType: "application/json"])
                let before = try org.state(of: "Account")
                let error = await #expect(throws: SoupError.self) {
                    try await session.send(request, body: Array(#"{"Name":"x"}"#.utf8))
                }
                #expect(error?.code == .network && error?.delivery == .notSent, "\(String(describing: error))")
                #expect(error?.message.contains("certificate") == true, "\(String(describing: error))")
                #expect(try org.state(of: "Account") == before)
            }
        }
    }
#endif
