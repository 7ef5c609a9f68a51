// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type with the name of its module, as in Salesforce Mobile SDK.
public final class SmartStore {
    /// Creates a placeholder.
    public init() {}
}

/// A placeholder for the other types of the module.
public enum KeyValueEncryptedFileStore {}
