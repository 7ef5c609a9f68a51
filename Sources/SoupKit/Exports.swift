// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// Everything an app needs with one import: the basic types, the store API, the engine, the session, and the plug-ins,
// whose configurations can be created in code.
@_exported public import BriefcaseTargets
@_exported public import ComposedStores
@_exported public import ConflictResolvers
@_exported public import CredentialStores
@_exported public import MRUTargets
@_exported public import SoupMemory
@_exported public import SoupSync
@_exported public import ParentChildrenTargets
@_exported public import RESTTargets
@_exported public import RecordTransforms
@_exported public import SObjectTargets
@_exported public import SOQLTargets
@_exported public import SoupSQLite
@_exported public import SoupHTTP
@_exported public import SoupSalesforce
@_exported public import SoupStore
@_exported public import SoupCore
@_exported public import UIAPITargets

#if os(Linux)
    @_exported public import CurlTransport
#endif

#if Encryption
    @_exported public import SoupEncryption
#endif
