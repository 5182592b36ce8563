import Foundation

/// The functions of libpq, PostgreSQL's client library (https://www.postgresql.org/docs/15/libpq.html).
///
/// The library is opened when a command needs it. This package builds without it.
///
/// `@unchecked Sendable` is sound: all properties are constants, the addresses of C functions. Several threads may call these
/// functions, each with other connections (https://www.postgresql.org/docs/15/libpq-threading.html), and
/// `ServerConnection`, which is not `Sendable`, keeps each connection on one thread.
struct ServerLibrary: @unchecked Sendable {
    typealias Handle = OpaquePointer
    typealias Text = UnsafePointer<CChar>

    /// `PQconninfoOption`, a part of an address.
    struct Option {
        let keyword: Text?
        let environment: Text?
        let compiled: Text?
        let value: Text?
        let label: Text?
        let display: Text?
        let size: Int32
    }

    let parse: @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> UnsafeMutableRawPointer?
    let freeOptions: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let connect: @convention(c) (Text) -> Handle?
    let status: @convention(c) (Handle) -> Int32
    let finish: @convention(c) (Handle) -> Void
    let errorMessage: @convention(c) (Handle) -> Text?
    let setNoticeProcessor:
        @convention(c) (
            Handle, (@convention(c) (UnsafeMutableRawPointer?, Text?) -> Void)?, UnsafeMutableRawPointer?
        ) -> UnsafeMutableRawPointer?
    let execute: @convention(c) (Handle, Text) -> Handle?
    let executeWithParameters:
        @convention(c) (
            Handle, Text, Int32, UnsafePointer<UInt32>?, UnsafePointer<Text?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?, Int32
        ) -> Handle?
    let resultStatus: @convention(c) (Handle) -> Int32
    let resultField: @convention(c) (Handle, Int32) -> Text?
    let clear: @convention(c) (Handle) -> Void
    let rowCount: @convention(c) (Handle) -> Int32
    let columnCount: @convention(c) (Handle) -> Int32
    let value: @convention(c) (Handle, Int32, Int32) -> Text?
    let isNull: @convention(c) (Handle, Int32, Int32) -> Int32
    let affectedRows: @convention(c) (Handle) -> Text?
    let nextResult: @convention(c) (Handle) -> Handle?
    let putCopyData: @convention(c) (Handle, Text, Int32) -> Int32
    let putCopyEnd: @convention(c) (Handle, Text?) -> Int32
    let getCopyData: @convention(c) (Handle, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, Int32) -> Int32
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// The library; nil if it is not installed.
    static let shared = ServerLibrary()

    private static let names = [
        "libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib", "/Library/PostgreSQL/15/lib/libpq.5.dylib",
    ]

    private init?() {
        guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else { return nil }
        func load<Function>(_ name: String) -> Function? {
            dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard
            let parse:
                @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> UnsafeMutableRawPointer? =
                load("PQconninfoParse"),
            let freeOptions: @convention(c) (UnsafeMutableRawPointer?) -> Void = load("PQconninfoFree"),
            let connect: @convention(c) (Text) -> Handle? = load("PQconnectdb"),
            let status: @convention(c) (Handle) -> Int32 = load("PQstatus"),
            let finish: @convention(c) (Handle) -> Void = load("PQfinish"),
            let errorMessage: @convention(c) (Handle) -> Text? = load("PQerrorMessage"),
            let setNoticeProcessor:
                @convention(c) (
                    Handle, (@convention(c) (UnsafeMutableRawPointer?, Text?) -> Void)?, UnsafeMutableRawPointer?
                ) -> UnsafeMutableRawPointer? = load("PQsetNoticeProcessor"),
            let execute: @convention(c) (Handle, Text) -> Handle? = load("PQexec"),
            let executeWithParameters:
                @convention(c) (
                    Handle, Text, Int32, UnsafePointer<UInt32>?, UnsafePointer<Text?>?, UnsafePointer<Int32>?,
                    UnsafePointer<Int32>?, Int32
                ) -> Handle? = load("PQexecParams"),
            let resultStatus: @convention(c) (Handle) -> Int32 = load("PQresultStatus"),
            let resultField: @convention(c) (Handle, Int32) -> Text? = load("PQresultErrorField"),
            let clear: @convention(c) (Handle) -> Void = load("PQclear"),
            let rowCount: @convention(c) (Handle) -> Int32 = load("PQntuples"),
            let columnCount: @convention(c) (Handle) -> Int32 = load("PQnfields"),
            let value: @convention(c) (Handle, Int32, Int32) -> Text? = load("PQgetvalue"),
            let isNull: @convention(c) (Handle, Int32, Int32) -> Int32 = load("PQgetisnull"),
            let affectedRows: @convention(c) (Handle) -> Text? = load("PQcmdTuples"),
            let nextResult: @convention(c) (Handle) -> Handle? = load("PQgetResult"),
            let putCopyData: @convention(c) (Handle, Text, Int32) -> Int32 = load("PQputCopyData"),
            let putCopyEnd: @convention(c) (Handle, Text?) -> Int32 = load("PQputCopyEnd"),
            let getCopyData: @convention(c) (Handle, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, Int32) -> Int32
            =
                load("PQgetCopyData"),
            let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = load("PQfreemem")
        else { return nil }
        (self.parse, self.freeOptions) = (parse, freeOptions)
        (self.connect, self.status, self.finish) = (connect, status, finish)
        (self.errorMessage, self.setNoticeProcessor) = (errorMessage, setNoticeProcessor)
        (self.execute, self.executeWithParameters) = (execute, executeWithParameters)
        (self.resultStatus, self.resultField, self.clear) = (resultStatus, resultField, clear)
        (self.rowCount, self.columnCount, self.value, self.isNull) = (rowCount, columnCount, value, isNull)
        (self.affectedRows, self.nextResult) = (affectedRows, nextResult)
        (self.putCopyData, self.putCopyEnd, self.getCopyData, self.free) = (putCopyData, putCopyEnd, getCopyData, free)
    }

    /// Returns the passwords in an address; nil if the address is not valid.
    func passwords(in address: String) -> [String]? {
        var message: UnsafeMutablePointer<CChar>?
        defer { free(message) }
        guard let options = parse(address, &message) else { return nil }
        defer { freeOptions(options) }
        var passwords: [String] = []
        var option = UnsafeRawPointer(options).assumingMemoryBound(to: Option.self)
        while option.pointee.keyword != nil {
            // libpq marks the fields of passwords.
            if let display = option.pointee.display, display.pointee == CChar(UInt8(ascii: "*")),
                let value = option.pointee.value
            {
                passwords.append(String(cString: value))
            }
            option += 1
        }
        return passwords
    }
}
