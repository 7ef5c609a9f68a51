// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupBridge

@Suite struct BridgeCallTests {
    @Test(
        arguments: [
            (#"{"service":"s","action":"a","args":["pluginSDKVersion:14.0.0",{"x":1}]}"#, #"{"x":1}"#),
            (#"{"service":"s","action":"a","args":[{"x":1}]}"#, #"{"x":1}"#),
            (#"{"service":"s","action":"a","args":["pluginSDKVersion:14.0.0"]}"#, nil),
            (#"{"service":"s","action":"a","args":["pluginSDKVersion:14.0.0",null]}"#, nil),
            (#"{"service":"s","action":"a","args":[]}"#, nil), (#"{"action":"a","service":"s"}"#, nil),
        ] as [(String, String?)]
    )
    func `The arguments follow the version of the library`(json: String, arguments: String?) throws {
        let call = try BridgeCall(json: Array(json.utf8))
        #expect(call == BridgeCall(service: "s", action: "a", arguments: try arguments.map { try JSONText($0) }))
    }

    @Test(
        arguments: [
            ("", "the call is not JSON"), ("{", "the call is not JSON"), ("[]", "a call must be an object"),
            (#"{"action":"a","args":[]}"#, "service is missing"), (#"{"service":"s","args":[]}"#, "action is missing"),
            (#"{"service":1,"action":"a"}"#, "service is missing, or is not a text"),
            (#"{"service":"s","action":"a","args":{}}"#, "args must be a list"),
            (#"{"service":"s","action":"a","args":[{},{}]}"#, "args must contain at most one object"),
            (#"{"service":"s","action":"a","args":["x"]}"#, "args must contain an object, not \"x\""),
        ]
    )
    func `A malformed call is an error`(json: String, message: String) {
        #expect {
            try BridgeCall(json: Array(json.utf8))
        } throws: { error in
            "\(error)".contains(message)
        }
    }
}
