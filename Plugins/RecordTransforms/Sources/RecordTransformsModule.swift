// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module that registers the record transforms `rename`, `drop`, `mask` and `constant`.
public struct RecordTransformsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module, which is part of `PluginRegistry.standard`.
    public init() {}

    /// Registers the four transforms.
    ///
    /// - Throws: ``SoupError`` with `registry` if another transform has one of the names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(transform: RenameTransform.self)
        try registry.register(transform: DropTransform.self)
        try registry.register(transform: MaskTransform.self)
        try registry.register(transform: ConstantTransform.self)
    }
}
