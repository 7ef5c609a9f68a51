// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The metadata of objects, kept in the soup `sfdcMetadata`; called MetadataSyncManager in the mobile SDKs.
///
/// ```swift
/// let metadata = try await MetadataCache(manager: kit.syncs)
/// let account = try await metadata.metadata(of: "Account")
/// print(account?.keyPrefix ?? "", account?.fields.count ?? 0)
/// ```
///
/// It needs the target `metadata` in the registry of its manager. Concurrent fetches of the same object share one
/// request, and their syncs are deleted.
public struct MetadataCache: Sendable {
    /// The soup of the metadata, with one index, on `Id`, which contains the name of the object.
    public static let soup: SoupName = "sfdcMetadata"

    private let manager: SyncManager
    private let cache: DescriptionCache

    /// Opens the cache; the soup is created if it does not exist.
    ///
    /// - Throws: ``SoupError`` of the store.
    public init(manager: SyncManager) async throws {
        self.manager = manager
        cache = try await DescriptionCache(soup: Self.soup, manager: manager)
    }

    /// Returns the metadata of an object.
    ///
    /// With ``FetchMode/serverFirst``, the cached metadata is returned if the server cannot be reached: if there is no
    /// connection, or the session has expired. If the server rejects the request, or the cache is empty, the error is
    /// thrown.
    ///
    /// Cancelling the task ends only its own wait. The request is cancelled when no other task waits for it.
    ///
    /// - Parameter object: the API name of the object, spelled exactly as on the server; it is the key in the cache.
    /// - Throws: the errors of ``LayoutCache/layout(of:formFactor:layoutType:mode:recordTypeId:fetching:)``, for the
    ///   target `metadata`.
    /// - Returns: the metadata; `nil` only with ``FetchMode/cacheOnly``, if it is not in the store.
    public func metadata(
        of object: String, fetching fetchMode: FetchMode = .cacheFirst
    ) async throws -> ObjectMetadata? {
        let target: JSONValue = ["type": "metadata", "sobjectType": .string(object)]
        return try await cache.description(object, fetchMode, by: TargetReference(target))
            .map { try ObjectMetadata($0) }
    }

    /// Fetches metadata and passes it to a completion handler, as in the developer guide; see
    /// ``metadata(of:fetching:)``.
    ///
    /// - Parameter completion: called once, on any thread.
    /// - Returns: the task of the fetch. If it is cancelled, the completion handler receives `CancellationError`.
    @discardableResult
    public func fetchMetadata(
        forObject object: String, mode: FetchMode,
        completion: @escaping @Sendable (Result<ObjectMetadata?, any Error>) -> Void
    ) -> Task<Void, Never> {
        manager.complete(completion) { try await metadata(of: object, fetching: mode) }
    }
}
