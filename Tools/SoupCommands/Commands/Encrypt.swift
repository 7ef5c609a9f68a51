// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup encrypt`.
struct Encrypt: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Encrypt the store.",
        discussion: """
            The content is copied to a new file, which then replaces the store; no other process may use it. If the command \
            is interrupted, the store is unchanged; repeat the command. Afterwards, add the key to the "backend" in the \
            configuration: "encryption": {"key": ...}. The disk can still contain blocks of the former file. With --json \
            prints {"store","encrypted"}.
            """)

    @Option(help: "\(KeyArgument.help); default: that of the configuration.")
    var key: KeyArgument?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        try await options.changeEncryption(.encrypt(key: key?.reference), console, verb: "encrypted", isEncrypted: true)
        if let key { console.print("Write into \(options.scope.storeFile): \(key.setting)") }
    }
}

/// The command `soup decrypt`.
struct Decrypt: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove the encryption of the store.",
        discussion: """
            The content is copied to a new file, which then replaces the store; no other process may use it. If the command \
            is interrupted, the store is unchanged; repeat the command. Afterwards, remove "encryption" from the \
            configuration. The key is not removed from its provider. With --json prints {"store","encrypted"}.
            """)

    @Option(help: "\(KeyArgument.help); default: that of the configuration.")
    var key: KeyArgument?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        try await options.changeEncryption(
            .decrypt(key: key?.reference), console, verb: "decrypted", isEncrypted: false)
        console.print("Remove \"encryption\" from the \"backend\" in \(options.scope.storeFile).")
    }
}

/// The command `soup rekey`.
struct Rekey: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace the key or passphrase of the encrypted store.",
        discussion: """
            Only the header of the file is written: the new key protects the key of the content, which stays the same. With \
            --content, the content is encrypted again with a new key, which takes as long as soup encrypt; use it if the \
            old key became known. If the command is interrupted, one of the two keys opens the store; repeat the command. \
            With --json prints {"store","encrypted"}.
            """)

    @Option(help: "The new key: \(KeyArgument.help).")
    var to: KeyArgument

    @Option(help: "The present key: \(KeyArgument.help); default: that of the configuration.")
    var key: KeyArgument?

    @Flag(help: "Encrypt the content again, with a new key.")
    var content = false

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let change = EncryptionChange.replaceKey(key?.reference, with: to.reference, encryptsContentAgain: content)
        try await options.changeEncryption(
            change, console, verb: content ? "encrypted again" : "protected by the new key", isEncrypted: true)
        console.print("Write into \(options.scope.storeFile): \(to.setting)")
    }
}

/// The command `soup keys`.
struct Keys: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the registered key providers, which the encryption of a store can name.")

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        console.list(
            ToolPlugins.registry.keyProviders,
            ifEmpty: "no key provider is registered: this program was built without the package trait Encryption")
    }
}

extension GlobalOptions {
    fileprivate func changeEncryption(
        _ change: EncryptionChange, _ console: Console, verb: String, isEncrypted: Bool
    ) async throws {
        let store = try await SoupClient.changeEncryption(change, at: folder, options: clientOptions)
        console.event(["store": .string(store.filePath), "encrypted": .bool(isEncrypted)])
        console.print("\(store.filePath): \(verb)")
    }
}

/// A key provider as an argument: its name, or its JSON object.
struct KeyArgument: ExpressibleByArgument, Sendable {
    var reference: KeyReference

    init?(argument: String) {
        guard argument.hasPrefix("{") else {
            reference = KeyReference(named: PluginName(argument))
            return
        }
        guard let json = try? JSONValue(parsing: argument) else { return nil }
        reference = KeyReference(json)
    }

    static let help = "a name such as file, or an object such as {\"type\": \"file\", \"path\": \"...\"}"

    /// The text for the `backend` of a configuration.
    var setting: String {
        let key = (try? JSONText(reference.json))?.description ?? ""
        return "\"backend\": {\"type\": \"sqlite\", \"encryption\": {\"key\": \(key)}}"
    }
}

#endif
