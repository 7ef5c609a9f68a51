// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension PluginName {
    /// Returns the class names that configurations of the mobile SDKs use for a target, for `SyncPlugin.aliases`.
    ///
    /// They are the Objective-C class, the Java class with its package, the same with the package that it had before
    /// version 8.0, and the class without a package, which is its Swift name and the form in the developer guide for
    /// Android.
    ///
    /// - Parameter name: the class without prefix and package, such as `SoqlSyncDownTarget`.
    public static func mobileSDKClass(_ name: String) -> [PluginName] {
        let packages = ["com.salesforce.androidsdk.mobilesync.target.", "com.salesforce.androidsdk.smartsync.target."]
        return (["SF"] + packages + [""]).map { PluginName($0 + name) }
    }
}
