import Foundation

/// The app that runs: another build of it may contain other custom migrations.
package enum AppIdentity {
    /// A fixed value for tests; nil for the kind of the running process.
    @TaskLocal package static var fixedIsExtension: Bool?

    /// Whether the process is an app extension, such as a widget.
    static var isExtension: Bool { fixedIsExtension ?? (Bundle.main.bundleURL.pathExtension == "appex") }

    /// A fixed value for tests; nil for the identity of the executable file.
    @TaskLocal package static var fixed: String?

    static var current: String { fixed ?? executable }

    private static let executable: String = {
        let bundle = Bundle.main
        let version = ["CFBundleShortVersionString", "CFBundleVersion"].compactMap {
            bundle.infoDictionary?[$0] as? String
        }
        let path = bundle.executableURL?.resolvingSymlinksInPath().path ?? CommandLine.arguments[0]
        let attributes = (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
        let size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        let date = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return (version + ["\(size)", "\(date)"]).joined(separator: " ")
    }()
}
