// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Page layouts of objects, kept in the soup `sfdcLayouts`; called LayoutSyncManager in the mobile SDKs.
///
/// ```swift
/// let layouts = try await LayoutCache(manager: kit.syncs)
/// let layout = try await layouts.layout(of: "Account", layoutType: "Compact", mode: "Edit")
/// print(layout?.sections.map(\.heading) ?? [])
/// ```
///
/// It needs the target `layout` in the registry of its manager. Concurrent fetches of the same layout share one
/// request, and their syncs are deleted. A cache keeps a reference to its manager. Two caches of one manager
/// share the soup, but not the fetches.
public struct LayoutCache: Sendable {
    /// The soup of the layouts, with one index, on `Id`.
    public static let soup: SoupName = "sfdcLayouts"

    private let manager: SyncManager
    private let cache: DescriptionCache

    /// Opens the cache; the soup is created if it does not exist.
    ///
    /// - Throws: ``SoupError`` of the store.
    public init(manager: SyncManager) async throws {
        self.manager = manager
        cache = try await DescriptionCache(soup: Self.soup, manager: manager)
    }

    /// The number of callers that wait for a layout that is being fetched.
    var waiting: Int { get async { await cache.waiting } }

    /// Returns the layout of an object.
    ///
    /// With ``FetchMode/serverFirst``, the cached layout is returned if the server cannot be reached: if there is no
    /// connection, or the session has expired. If the server rejects the request, or the cache is empty, the error is
    /// thrown. A fetched layout stays in the store.
    ///
    /// Cancelling the task ends only its own wait. The request is cancelled when no other task waits for it.
    ///
    /// - Parameters:
    ///   - formFactor: `Large`, `Medium` or `Small`.
    ///   - layoutType: `Full` or `Compact`.
    ///   - mode: `View`, `Edit` or `Create`.
    ///   - recordTypeId: `nil` or an empty string for the user's default record type.
    /// - Throws: ``SoupError``: `network`, `server`, `objectNotFound`, `json`, `managerStopped`, `syncAlreadyRunning`
    ///   if another process syncs the store; `ConfigurationError` if the registry has no target `layout`, or `object`
    ///   is not a valid name; `CancellationError`.
    /// - Returns: the layout; `nil` only with ``FetchMode/cacheOnly``, if the layout is not in the store.
    public func layout(
        of object: String, formFactor: String = "Large", layoutType: String = "Full", mode: String = "View",
        recordTypeId: String? = nil, fetching fetchMode: FetchMode = .cacheFirst
    ) async throws -> ObjectLayout? {
        let parameters = [
            ("formFactor", formFactor), ("layoutType", layoutType), ("mode", mode),
            ("recordTypeId", recordTypeId ?? ""),
        ]
        var target: JSONObject = ["type": "layout", "sobjectType": .string(object)]
        for (name, value) in parameters where !value.isEmpty { target[name] = .string(value) }
        let key = ([object] + parameters.map { $0.1.isEmpty ? "null" : $0.1 }).joined(separator: "-")
        return try await cache.description(key, fetchMode, by: TargetReference(.object(target)))
            .map { try ObjectLayout($0) }
    }

    /// Fetches a layout and passes it to a completion handler, as in the developer guide.
    ///
    /// See ``layout(of:formFactor:layoutType:mode:recordTypeId:fetching:)``.
    ///
    /// - Parameter completion: called once, on any thread.
    /// - Returns: the task of the fetch. If it is cancelled, the completion handler receives `CancellationError`.
    @discardableResult
    public func fetchLayout(
        forObjectAPIName object: String, formFactor: String, layoutType: String, mode: String,
        recordTypeId: String? = nil, syncMode: FetchMode,
        completion: @escaping @Sendable (Result<ObjectLayout?, any Error>) -> Void
    ) -> Task<Void, Never> {
        manager.complete(completion) {
            try await layout(
                of: object, formFactor: formFactor, layoutType: layoutType, mode: mode, recordTypeId: recordTypeId,
                fetching: syncMode)
        }
    }
}
