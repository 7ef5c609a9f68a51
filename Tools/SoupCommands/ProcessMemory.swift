// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

#if canImport(Glibc)
internal import CSoupMalloc
internal import Glibc
#endif

/// The settings for freed memory of glibc; other systems decide it themselves.
enum ProcessMemory {
    /// Returns freed pages to the system at once.
    ///
    /// By default malloc keeps blocks of up to the largest size that was ever freed, and a long sync takes a third more
    /// memory.
    static func returnFreedPages() {
        #if canImport(Glibc)
        mallopt(M_MMAP_THRESHOLD, 128 << 10)
        #endif
    }

    /// Keeps some freed megabytes for the next request.
    ///
    /// A server answers many requests of about a megabyte each. Fresh pages for each of them take more time than the
    /// work itself.
    static func keepFreedPages() {
        #if canImport(Glibc)
        mallopt(M_MMAP_THRESHOLD, 8 << 20)
        mallopt(M_TRIM_THRESHOLD, 32 << 20)
        #endif
    }
}

#endif
