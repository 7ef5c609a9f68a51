// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Page layouts of objects, kept in the soup `sfdcLayouts`; the mobile SDKs call it LayoutSyncManager.
///
/// ```swift
/// let layouts = try await LayoutCache(manager: kit.syncs)
/// let layout = try await layouts.layout(of: "Account", layoutType: "Compact", mode: "Edit")
/// print(layout?.sections.map(\.heading) ?? [])
/// ```
///
/// It needs the target `layout` in the registry of its manager. Fetches of one layout at the same time share one
/// request, and none of them leaves a sync behind. A cache holds its manager; two caches over one manager share the
/// soup, but not the fetches.
public struct LayoutCache: Sendable {
    /// The soup of the layouts, with one index, on `Id`.
    public static let soup: SoupName = "sfdcLayouts"

    private let manager: SyncManager
    private let cache: DescriptionCache

    /// Opens the cache; the soup is made when it is not there.
    ///
    /// - Throws: ``SoupError`` of the store.
    public init(manager: SyncManager) async throws {
        self.manager = manager
        cache = try await DescriptionCache(soup: Self.soup, manager: manager)
    }

    /// How many wait for a layout that is being fetched.
    var waiting: Int { get async { await cache.waiting } }

    /// The layout of an object.
    ///
    /// With ``FetchMode/serverFirst`` the layout of the cache is returned when the server cannot be reached: when there
    /// is no connection, or the session has ended. An answer of the server that refuses it is thrown, and so is every
    /// failure when the cache is empty. A layout that was fetched stays in the store.
    ///
    /// Cancelling the task ends the waiting; the request ends with the last one who waits for it.
    ///
    /// - Parameters:
    ///   - formFactor: `Large`, `Medium` or `Small`.
    ///   - layoutType: `Full` or `Compact`.
    ///   - mode: `View`, `Edit` or `Create`.
    ///   - recordTypeId: nil for the user's default record type; an empty text is as good as nil.
    /// - Throws: ``SoupError``: `network`, `server`, `objectNotFound`, `json`, `managerStopped`, `syncAlreadyRunning`
    ///   when another process syncs the store; `ConfigurationError` when the registry has no target `layout`, or
    ///   `object` is no name; `CancellationError`.
    /// - Returns: nil only with ``FetchMode/cacheOnly``, when the layout is not in the store.
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

    /// ``layout(of:formFactor:layoutType:mode:recordTypeId:fetching:)`` in the form of the developer guide.
    ///
    /// - Parameter completion: called once, on any thread.
    /// - Returns: the task of the fetch; cancelling it is told to the callback as `CancellationError`.
    @discardableResult
    public func fetchLayout(
        forObjectAPIName object: String, formFactor: String, layoutType: String, mode: String,
        recordTypeId: String? = nil, syncMode: FetchMode,
        completion: @escaping @Sendable (Result<ObjectLayout?, any Error>) -> Void
    ) -> Task<Void, Never> {
        manager.tell(completion) {
            try await layout(
                of: object, formFactor: formFactor, layoutType: layoutType, mode: mode, recordTypeId: recordTypeId,
                fetching: syncMode)
        }
    }
}
