// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncDownTargetSuite {
    /// Checks whether pages are requested by their number or by an offset: if a record before the next page is deleted
    /// while the list is read, the record that takes its place is on no page.
    func checkNumbers(_ requests: [RecordedRequest], of pages: [RecordPage], _ report: inout SuiteReport) {
        let numbers = Dictionary(
            grouping: requests.flatMap(Self.pageNumbers), by: \.name
        ).filter { Set($0.value.map(\.value)).count > 1 || $0.value.count < requests.count }
        guard let parameter = numbers.keys.sorted().first, let last = numbers[parameter]?.last else {
            return report.require(
                !numberedPages,
                "numberedPages is set, but no request contains the number of a page: remove numberedPages")
        }
        report.require(
            !numberedPages || pages.allSatisfy { $0.next == nil || $0.isNextTemporary },
            "pages are requested by number (\(parameter)=\(last.value)), and the cursor of the next one is not temporary, so a "
                + "run after an interruption continues at a number that leads to other records: set isNextTemporary")
        report.require(
            numberedPages,
            "pages are requested by number (\(parameter)=\(last.value)), so a record is never fetched if one before it is deleted "
                + "while the list is read: request the records after the last one, sorted by date and ID, or set "
                + "numberedPages: true if the server has no other way")
    }

    /// Returns the parameters of a request that count pages or records.
    private static func pageNumbers(_ request: RecordedRequest) -> [(name: String, value: Int)] {
        let members = request.json?.objectValue?.members.map { (name: $0.key, value: "\($0.value)") } ?? []
        return (request.query + members).compactMap { name, value in
            PageNumberName.isUsual(name) ? Int(value).map { (name, $0) } : nil
        }
    }
}
