// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The metadata of objects, kept in the soup `sfdcMetadata`; the mobile SDKs call it MetadataSyncManager.
///
/// ```swift
/// let metadata = try await MetadataCache(manager: kit.syncs)
/// let account = try await metadata.metadata(of: "Account")
/// print(account?.keyPrefix ?? "", account?.fields.count ?? 0)
/// ```
///
/// It needs the target `metadata` in the registry of its manager. Fetches of one object at the same time share one
/// request, and none of them leaves a sync behind.
public struct MetadataCache: Sendable {
    /// The soup of the metadata, with one index, on `Id`, which holds the name of the object.
    public static let soup: SoupName = "sfdcMetadata"

    private let manager: SyncManager
    private let cache: DescriptionCache

    /// Opens the cache; the soup is made when it is not there.
    ///
    /// - Throws: ``SoupError`` of the store.
    public init(manager: SyncManager) async throws {
        self.manager = manager
        cache = try await DescriptionCache(soup: Self.soup, manager: manager)
    }

    /// The metadata of an object.
    ///
    /// With ``FetchMode/serverFirst`` what is in the cache is returned when the server cannot be reached: when there is
    /// no connection, or the session has ended. An answer of the server that refuses it is thrown, and so is every
    /// failure when the cache is empty.
    ///
    /// Cancelling the task ends the waiting; the request ends with the last one who waits for it.
    ///
    /// - Parameter object: its API name in the very spelling of the server, by which the cache keeps it.
    /// - Throws: as ``LayoutCache/layout(of:formFactor:layoutType:mode:recordTypeId:fetching:)``, of the target
    ///   `metadata`.
    /// - Returns: nil only with ``FetchMode/cacheOnly``, when the metadata is not in the store.
    public func metadata(
        of object: String, fetching fetchMode: FetchMode = .cacheFirst
    ) async throws -> ObjectMetadata? {
        let target: JSONValue = ["type": "metadata", "sobjectType": .string(object)]
        return try await cache.description(object, fetchMode, by: TargetReference(target))
            .map { try ObjectMetadata($0) }
    }

    /// ``metadata(of:fetching:)`` in the form of the developer guide.
    ///
    /// - Parameter completion: called once, on any thread.
    /// - Returns: the task of the fetch; cancelling it is told to the callback as `CancellationError`.
    @discardableResult
    public func fetchMetadata(
        forObject object: String, mode: FetchMode,
        completion: @escaping @Sendable (Result<ObjectMetadata?, any Error>) -> Void
    ) -> Task<Void, Never> {
        manager.tell(completion) { try await metadata(of: object, fetching: mode) }
    }
}
