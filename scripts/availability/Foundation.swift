// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The declarations of Apple's Foundation that the checked modules use: signatures and availability as Apple documents
// them, without behaviour. Foundation on Linux has other availability, and most of it has no interface that can be
// rebuilt. A missing declaration is reported as an unknown name: add it with the availability of Apple's documentation.

@_exported public import Darwin
@_exported public import Dispatch

public struct Data: Hashable, Sendable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    public init() {}
    public init(_ bytes: some Sequence<UInt8>) {}
    public init(capacity: Int) {}
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let mappedIfSafe = ReadingOptions(rawValue: 1)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public func write(to url: URL, options: WritingOptions = []) throws {}
    public enum Deallocator {
        case none
    }
    public init(bytesNoCopy bytes: UnsafeMutableRawPointer, count: Int, deallocator: Deallocator) {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(bounds: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public mutating func replaceSubrange(_ range: Range<Int>, with bytes: some Collection<UInt8>) {}
    public func base64EncodedString() -> String { "" }
    public mutating func append(_ other: Data) {}
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

public struct Date: Hashable, Comparable, Sendable, Codable {
    public init() {}
    public init(timeIntervalSince1970: Double) {}
    public init(timeIntervalSinceReferenceDate: Double) {}
    public var timeIntervalSince1970: Double { 0 }
    public var timeIntervalSinceReferenceDate: Double { 0 }
    public static func < (one: Date, other: Date) -> Bool { false }
    public func addingTimeInterval(_ interval: Double) -> Date { self }
    public mutating func addTimeInterval(_ interval: Double) {}
}

public struct URL: Hashable, Sendable, Codable {
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public enum DirectoryHint: Sendable {
        case isDirectory
        case notDirectory
        case checkFileSystem
        case inferFromPath
    }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public init(filePath path: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) {}
    public var isFileURL: Bool { false }
    public var absoluteString: String { "" }
    public var relativePath: String { "" }
    public var path: String { "" }
    public var baseURL: URL? { nil }
    public init?(string: String) {}
    public func resolvingSymlinksInPath() -> URL { self }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public func appending(path: some StringProtocol, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public func path(percentEncoded: Bool = true) -> String { "" }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public func appending(component: some StringProtocol, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public static func currentDirectory() -> URL { URL(filePath: "") }
}

public struct UUID: Hashable, Sendable, Codable {
    public init() {}
    public var uuidString: String { "" }
}

public struct URLQueryItem: Hashable, Sendable {
    public var name: String { "" }
    public var value: String? { nil }
}

public struct URLComponents: Hashable, Sendable {
    public init?(string: String) {}
    public var queryItems: [URLQueryItem]? { nil }
}

public struct Locale: Hashable, Sendable {}

public struct Decimal: Hashable, Sendable, Codable, CustomStringConvertible {
    public init?(string: String, locale: Locale? = nil) {}
    public var isFinite: Bool { true }
    public var description: String { "" }
}

open class NSObject {
    public init() {}
}

public final class NSNull: NSObject {}

open class NSNumber: NSObject {
    public var boolValue: Bool { false }
    public var doubleValue: Double { 0 }
    public var int64Value: Int64 { 0 }
    public var uint64Value: UInt64 { 0 }
    public var objCType: UnsafePointer<CChar> { UnsafePointer(bitPattern: 1)! }
}

open class NSDecimalNumber: NSNumber {
    public var decimalValue: Decimal { Decimal(string: "")! }
}

public final class JSONEncoder {
    public init() {}
    public func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}

public final class JSONDecoder {
    public init() {}
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { throw CancellationError() }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}

open class Thread: NSObject {
    public var stackSize: Int {
        get { 0 }
        set {}
    }
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public init(block: @escaping @Sendable () -> Void) {}
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
    public func start() {}
}

public struct FileAttributeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let size = FileAttributeKey(rawValue: "")
    public static let posixPermissions = FileAttributeKey(rawValue: "")
    #if !os(macOS)
        public static let protectionKey = FileAttributeKey(rawValue: "")
    #endif
}

#if !os(macOS)
    public struct FileProtectionType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let completeUntilFirstUserAuthentication = FileProtectionType(rawValue: "")
    }
#endif

public final class FileManager: @unchecked Sendable {
    public static let `default` = FileManager()
    public var temporaryDirectory: URL { URL(filePath: "") }
    public func removeItem(atPath path: String) throws {}
    public func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
    public func createDirectory(
        atPath path: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    public func createDirectory(
        at url: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    public func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
    public func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {}
    public func fileExists(atPath path: String) -> Bool { false }
}

extension String {
    public init(format: String, _ arguments: any CVarArg...) { self = format }
}

public struct CharacterSet: Hashable, Sendable {
    public static let whitespaces = CharacterSet()
    public static let whitespacesAndNewlines = CharacterSet()
}

extension StringProtocol {
    public func trimmingCharacters(in set: CharacterSet) -> String { String(self) }
}
