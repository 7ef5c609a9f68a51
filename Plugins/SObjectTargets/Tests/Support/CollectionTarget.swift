// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting

/// Returns a target for collections; by default it sends the name.
func collectionTarget(
    _ configuration: SObjectConfiguration = .init(createFieldlist: ["Name"], updateFieldlist: ["Name"])
)
    throws -> CollectionSyncUpTarget
{
    try CollectionSyncUpTarget(configuration: configuration)
}

/// Returns the response of the collections resource in which every record succeeds.
func accept(_ request: RecordedRequest) -> HTTPAnswer {
    let ids: [String] =
        request.method == .delete
        ? (request[parameter: "ids"] ?? "").split(separator: ",").map(String.init)
        : (request.json?["records"]?.arrayValue ?? []).enumerated().map { index, record in
            (request.method == .patch ? record["Id"]?.stringValue : nil) ?? rowId("new\(index)")
        }
    let items = ids.map { #"{"id":"\#($0)","success":true,"errors":[]}"# }
    return HTTPAnswer("[\(items.joined(separator: ","))]", headers: date)
}
