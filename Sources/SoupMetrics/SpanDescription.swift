// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Metrics

    internal import SoupCore
    internal import SoupSync
    internal import Tracing

    /// The span of an activity.
    struct SpanDescription {
        let name: String
        let kind: SpanKind
        let attributes: SpanAttributes

        /// - Returns: nil for an activity without a duration.
        init?(_ activity: SyncActivity) {
            switch activity.kind {
            case .run: name = "soupkit.run"
            case .ghostCleaning: name = "soupkit.ghost_cleaning"
            case .pageFetch: name = "soupkit.page_fetch"
            case .pageSave: name = "soupkit.page_save"
            case .push: name = "soupkit.push"
            case .request: name = "soupkit.request"
            case .streamedBody: return nil
            }
            kind = activity.kind == .request ? .client : .internal
            var attributes: SpanAttributes = [
                "soupkit.sync_type": .string(activity.syncType.rawValue),
                "soupkit.soup": .string(activity.soup.rawValue),
                "soupkit.target": .string(activity.target.rawValue),
            ]
            let texts = [
                ("soupkit.sync", activity.sync), ("soupkit.backend", activity.backend?.rawValue),
                ("soupkit.connection", activity.connection), ("soupkit.transport", activity.transport?.rawValue),
                ("http.request.method", activity.method),
            ]
            for (key, text) in texts { attributes[key] = text }
            if activity.kind == .push { attributes["soupkit.changes"] = activity.changes }
            self.attributes = attributes
        }

        /// Does the work in a span.
        func perform(
            _ work: () async -> SyncActivityResult, with tracer: some Tracer
        ) async -> SyncActivityResult {
            await tracer.withSpan(name, ofKind: kind) { span in
                span.updateAttributes { $0.merge(attributes) }
                let result = await work()
                span.updateAttributes { $0.merge(Self.attributes(of: result)) }
                if result.isError { span.setStatus(SpanStatus(code: .error, message: result.errorCode)) }
                return result
            }
        }

        private static func attributes(of result: SyncActivityResult) -> SpanAttributes {
            var attributes: SpanAttributes = ["soupkit.outcome": .string(result.outcome.rawValue)]
            attributes["error.type"] = result.error?.code.rawValue
            attributes["http.response.status_code"] = result.status
            for (key, count) in result.records { attributes["soupkit.records.\(key.rawValue)"] = count }
            let counts = [
                ("soupkit.retries", result.retries), ("http.request.body.size", result.bytesSent),
                ("http.response.body.size", result.bytesReceived),
            ]
            for (key, count) in counts where count > 0 { attributes[key] = count }
            return attributes
        }
    }

    extension SyncActivityResult {
        /// Whether the activity failed, or the server refused its request.
        fileprivate var isError: Bool { error != nil || (status ?? 0) >= 400 }
    }

#endif
