// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension OrgContext {
    /// The login of the partner API, for clients that know no other.
    func soapLogin(_ request: OrgRequest) throws -> OrgAnswer {
        // `/services/Soap/u/59.0`, sometimes with the id of the org behind it.
        guard (4...5).contains(request.segments.count), ["u", "c"].contains(request.segments[2]) else {
            throw OrgError.notFound
        }
        return try allow(["POST"], request) {
            guard self.org.definition.apiVersions.contains(request.segments[3]) else {
                return Self.fault(
                    "UNSUPPORTED_API_VERSION", "Invalid Api version specified on URL", kind: "UnexpectedErrorFault")
            }
            let body = XMLTexts(request.body)
            guard body["login"] != nil else {
                return Self.fault(
                    "INVALID_OPERATION", "No operation but login is there", kind: "UnexpectedErrorFault")
            }
            if let wanted = body["organizationId"], RecordID.normalized(wanted) != self.org.definition.orgId {
                return Self.fault("INVALID_LOGIN", Self.badLogin)
            }
            guard let username = body["username"], let password = body["password"],
                let user = self.user(username, password)
            else { return Self.fault("INVALID_LOGIN", Self.badLogin) }
            return self.loggedIn(user, client: body["client"] ?? "", request)
        }
    }

    private static let badLogin = "Invalid username, password, security token; or user locked out."
    private static let soapType = "text/xml;charset=UTF-8"

    private func loggedIn(_ user: OrgDefinition.User, client: String, _ request: OrgRequest) -> OrgAnswer {
        let grant = TokenRegister.Grant(userId: user.id, clientId: client, scope: "api", issued: org.clock.now)
        let token = org.tokens.makeAccessToken(grant, refreshToken: nil, expires: tokenExpiry)
        let path =
            "/services/Soap/\(request.segments[2])/\(request.segments[3])/\(RecordID.short(org.definition.orgId))"
        func escaped(_ text: String) -> String { XMLTexts.escaped(text) }
        return OrgAnswer(
            200,
            body: Array(
                """
                <?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope \
                xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:partner.soap.sforce.com">\
                <soapenv:Body><loginResponse><result><metadataServerUrl>\
                \(escaped(org.options.instanceURL))/services/Soap/m/\(request.segments[3])</metadataServerUrl>\
                <passwordExpired>false</passwordExpired><sandbox>true</sandbox>\
                <serverUrl>\(escaped(org.options.instanceURL + path))</serverUrl><sessionId>\(token)</sessionId>\
                <userId>\(user.id)</userId><userInfo><organizationId>\(org.definition.orgId)</organizationId>\
                <userEmail>\(escaped(user.email))</userEmail><userFullName>\(escaped(user.name))</userFullName>\
                <userId>\(user.id)</userId><userName>\(escaped(user.username))</userName></userInfo></result>\
                </loginResponse></soapenv:Body></soapenv:Envelope>
                """.utf8), contentType: Self.soapType)
    }

    private static func fault(_ code: String, _ message: String, kind: String = "LoginFault") -> OrgAnswer {
        OrgAnswer(
            500,
            body: Array(
                """
                <?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope \
                xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" \
                xmlns:sf="urn:fault.partner.soap.sforce.com"><soapenv:Body><soapenv:Fault>\
                <faultcode>\(code)</faultcode><faultstring>\(code): \(message)</faultstring><detail>\
                <sf:\(kind)><sf:exceptionCode>\(code)</sf:exceptionCode>\
                <sf:exceptionMessage>\(message)</sf:exceptionMessage></sf:\(kind)>\
                </detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>
                """.utf8), contentType: soapType)
    }
}
