// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting

/// A contact service whose deletions succeed often: a deleted contact is in the list again.
struct RestoredService: Sendable {
    private let service = ContactService()

    var count: Int { service.count }

    func answer(_ request: RecordedRequest, refusing refused: [RecordChange]) -> HTTPAnswer {
        let answer = service.answer(request, refusing: refused)
        guard request.method == .delete, answer.status == 404 else { return answer }
        return HTTPAnswer(HTTPResponse(status: .noContent))
    }
}
