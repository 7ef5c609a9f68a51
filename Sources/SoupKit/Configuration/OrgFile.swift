// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

/// Where the server is, from `org.json` and the environment.
struct OrgFile {
    private let contents: ConfigurationFiles.Contents
    private let instance: String?
    private let token: String?

    init(_ files: ConfigurationFiles, environment: [String: String]) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        contents = files.read(ConfigurationFolder.orgFile)
        instance = variable(ConfigurationFolder.instanceVariable)
        token = variable(ConfigurationFolder.tokenVariable)
    }

    /// The credentials; nil when there are none, and when `problems` gained an error.
    func credentials(problems: inout [ConfigurationProblem]) -> SalesforceCredentials? {
        switch contents {
        case .absent:
            guard let instance else { return nil }
            return decode(.object(["instanceUrl": .string(instance)]), nil, &problems)
        case .unreadable(let problem):
            problems.append(problem)
            return nil
        case .present(let bytes):
            let file = ConfigurationDocument(bytes, file: ConfigurationFolder.orgFile)
            return decode(file.json, file, &problems)
        }
    }

    private func decode(
        _ json: JSONValue?, _ file: ConfigurationDocument?, _ problems: inout [ConfigurationProblem]
    ) -> SalesforceCredentials? {
        var found: [ConfigurationProblem] = []
        var credentials: SalesforceCredentials?
        if var json {
            if json.objectValue != nil {
                if let instance { json["instanceUrl"] = .string(instance) }
                if let token { json["accessToken"] = .string(token) }
            }
            credentials = ConfigurationDecoder.decode(SalesforceCredentials.self, from: json, problems: &found)
        }
        problems += file?.located(found) ?? found.map(inEnvironment)
        return credentials
    }

    /// A problem that no file has: the variable is to blame.
    private func inEnvironment(_ problem: ConfigurationProblem) -> ConfigurationProblem {
        var problem = problem
        problem.place = Place(path: ConfigurationFolder.instanceVariable)
        return problem
    }
}
