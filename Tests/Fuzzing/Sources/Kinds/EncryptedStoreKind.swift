// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption
    internal import Foundation
    internal import SoupCore
    internal import SoupSQLite
    internal import SoupTesting

    /// Opens an encrypted store whose files were changed by a list of edits.
    ///
    /// Each line is an edit: a file (`store` or `log`), a verb, and numbers, which are reduced to the length of the
    /// file. The store must then have the content after one of its transactions, or an error of a damaged store.
    struct EncryptedStoreKind: FuzzKind {
        let name = "encrypted"
        let words = [
            "store flip ", "log flip ", "store set ", "store cut ", "log cut ", "store copy ", "log copy ",
            "store zero ",
            "log zero ", "store swap ", "log swap ", "store add ", "8192 ", "16424 ", "4096 ", "72 ", "16496 ", "\n",
        ]

        private let original: [String: [UInt8]]
        /// The content after each transaction, the last one at the end.
        private let states: [[String]]
        private let folder: URL

        /// Creates the store, and copies its files as they are when the process is killed.
        init() async throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-fuzz-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let store = try await Self.open(folder)
            try await store.write { try $0.registerSoup("s", [IndexSpec("a", .string), IndexSpec("b", .fullText)]) }
            try await Self.insert(0..<40, into: store)
            try await store.checkpoint()
            var states = [try await Self.content(of: store)]
            for number in 1...3 {
                try await Self.insert(number * 100..<number * 100 + 5, into: store)
                states.append(try await Self.content(of: store))
            }
            self.states = states
            let folder = folder
            original = try ["store": "", "log": "-wal"].mapValues { suffix in
                Array(try Data(contentsOf: Self.file(in: folder, suffix)))
            }
            try await store.close()
        }

        func check(_ input: [UInt8]) async throws -> String {
            var files = original
            for line in String(decoding: input, as: UTF8.self).split(separator: "\n").prefix(8) {
                let parts = line.split(separator: " ")
                guard parts.count > 1, var bytes = files[String(parts[0])] else { continue }
                Self.edit(&bytes, String(parts[1]), by: parts.dropFirst(2).map { Int($0) ?? 0 })
                files[String(parts[0])] = bytes
            }
            try? FileManager.default.removeItem(at: Self.file(in: folder, "-shm"))
            for (name, suffix) in ["store": "", "log": "-wal"] {
                try Data(files[name] ?? []).write(to: Self.file(in: folder, suffix))
            }
            do {
                let store = try await Self.open(folder)
                let content: Result<[String], any Error>
                do { content = .success(try await Self.content(of: store)) } catch { content = .failure(error) }
                try? await store.close()
                let lines = try content.get()
                // An empty file is a new store.
                if files["store"]?.allSatisfy({ $0 == 0 }) == true, lines.isEmpty { return "new" }
                guard let index = states.firstIndex(of: lines) else { throw Violation("the content is \(lines)") }
                return "state \(index)"
            } catch let error as SoupError {
                let expected: [SoupError.Code] = [.storeUnusable, .wrongKey, .storeNotEncrypted]
                // After the removal of all content, the soup does not exist.
                let isEmpty = [.soupNotFound, .unknownSoup].contains(error.code) && (files["store"]?.count ?? 0) < 8192
                try require(expected.contains(error.code) || isEmpty, "\(error)")
                return outline(error.code.rawValue, error.message)
            }
        }

        /// Applies one edit.
        private static func edit(_ bytes: inout [UInt8], _ verb: String, by numbers: [Int]) {
            guard !bytes.isEmpty else { return }
            func number(_ index: Int) -> Int { numbers.count > index ? abs(numbers[index] % bytes.count) : 0 }
            let (first, second) = (number(0), number(1))
            let length = min(numbers.count > 2 ? number(2) : 1, bytes.count - max(first, second))
            switch verb {
            case "flip": bytes[first] ^= 1 << (second & 7)
            case "set": bytes[first] = UInt8(truncatingIfNeeded: second)
            case "cut": bytes.removeLast(bytes.count - first)
            case "zero": for index in first..<min(bytes.count, first + second) { bytes[index] = 0 }
            case "copy": bytes.replaceSubrange(second..<second + length, with: Array(bytes[first..<first + length]))
            case "swap": for offset in 0..<length { bytes.swapAt(first + offset, second + offset) }
            case "add": bytes += Array(bytes[first..<min(bytes.count, first + second)])
            default: break
            }
        }

        private static func file(in folder: URL, _ suffix: String) -> URL {
            folder.appending(path: "s.sqlite" + suffix)
        }

        private static func open(_ folder: URL) async throws -> SQLiteStore {
            try await SQLiteStore.open(
                .init(path: file(in: folder, "").path, encryption: .init(key: FixedKey())),
                in: StoreContext(folder: folder))
        }

        private static func insert(_ range: Range<Int>, into store: SQLiteStore) async throws {
            let batch = RecordBatch(
                try range.map { try JSONText(#"{"a": "\#($0)", "b": "\#(String(repeating: "w\($0) ", count: 80))"}"#) })
            _ = try await store.write { try $0.upsert(batch, into: "s", matching: .path("a")) }
        }

        private static func content(of store: SQLiteStore) async throws -> [String] {
            try await store.read { reader in
                let all = try reader.query(.all("s", orderedBy: "_soupEntryId", pageSize: 1000)).entries
                let found = try reader.query(QuerySpec(.match(path: "b", key: "w1*"), soup: "s", pageSize: 1000))
                    .entries
                return all.map { "\($0.id) \($0.stored)" } + ["found \(found.map(\.id).sorted())"]
            }
        }
    }
#endif
