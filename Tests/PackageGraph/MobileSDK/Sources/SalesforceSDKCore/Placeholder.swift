// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A placeholder, because a target needs a source file.
enum Placeholder {}
