import SchemaModel
import SQLSchema

extension ServerType {
    /// The seconds from 1970 to 2001, which is the beginning of time in stores of Strata.
    static let referenceDate = 978_307_200
}

extension ModelVersion {
    /// Returns the type of a PostgreSQL column for values of a type.
    package func serverType(of type: ValueType) -> ServerType {
        switch type {
        case .scalar(let scalar): return scalar.facts.server
        case .array, .dictionary: return .jsonb
        case .subtype(let lineage):
            switch subtype(lineage)?.kind {
            case .cases, nil: return .text
            case .options: return .bigint
            case .members: return .jsonb
            }
        }
    }
}

// MARK: - Values

extension PostgreSQL {
    /// Returns SQL for a stored value as a value of a type.
    package static func literal(_ value: Literal, _ type: ServerType) -> String {
        switch (value, type) {
        case (.integer(let value), .boolean): value == 0 ? "false" : "true"
        case (.integer(let value), .timestamptz): literal(.real(Double(value)), .timestamptz)
        case (.real(let value), .timestamptz): SQL.literal(timestamp(value)) + "::timestamptz"
        case (.integer(let value), _): String(value)
        case (.real(let value), _): value < 0 ? "(\(value))" : String(value)
        case (.text(let text), .numeric): text
        case (.text(let text), .jsonb): SQL.literal(text) + "::jsonb"
        case (.text(let text), _): SQL.literal(text)
        case (.blob(let bytes), .uuid): SQL.literal(uuid(bytes)) + "::uuid"
        case (.blob(let bytes), _): SQL.literal("\\x" + hexadecimal(bytes).lowercased()) + "::bytea"
        }
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        var text = Array(hexadecimal(bytes).lowercased())
        for index in [20, 16, 12, 8] where index <= text.count { text.insert("-", at: index) }
        return String(text)
    }

    /// Returns a moment to the microsecond, which is what PostgreSQL stores: `2001-01-01 00:00:00+00`.
    ///
    /// - Parameter seconds: The seconds since 2001-01-01 UTC.
    package static func timestamp(_ seconds: Double) -> String {
        let micros = Int64((seconds * 1_000_000).rounded()) + Int64(ServerType.referenceDate) * 1_000_000
        let (days, rest) = (micros.floorDivided(by: 86_400_000_000), micros.floorRemainder(by: 86_400_000_000))
        // The civil date of a day number: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let day = shifted - era * 146_097
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        let civilYear = year + era * 400 + (civilMonth <= 2 ? 1 : 0)
        func padded(_ value: Int64, _ count: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        // The year before 1 is 1 BC.
        let date = [
            padded(civilYear > 0 ? civilYear : 1 - civilYear, 4), padded(civilMonth, 2),
            padded(dayOfYear - (153 * month + 2) / 5 + 1, 2),
        ].joined(separator: "-")
        let seconds = rest / 1_000_000
        let time = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        let fraction = rest % 1_000_000
        return date + " " + time + (fraction == 0 ? "" : "." + padded(fraction, 6)) + "+00"
            + (civilYear > 0 ? "" : " BC")
    }

    /// Returns SQL that converts a value to another type as the migration of a store does. The two types have the same values
    /// in SQLite, or the step converts them.
    static func converted(_ sql: String, from: ServerType, to: ServerType) -> String {
        switch (from, to) {
        case _ where from == to: sql
        case (.boolean, .text): "(\(sql))::text"
        case (.boolean, _): "(\(sql))::int::\(to.rawValue)"
        case (_, .boolean): "(\(sql)) <> 0"
        case (.timestamptz, _): converted(seconds(sql), from: .double, to: to)
        case (_, .timestamptz): "to_timestamp((\(sql)) + \(ServerType.referenceDate))"
        case (.uuid, .text): "upper((\(sql))::text)"
        case (.uuid, .bytea): "uuid_send(\(sql))"
        case (.bytea, .uuid): "encode(\(sql), 'hex')::uuid"
        default: "(\(sql))::\(to.rawValue)"
        }
    }

    /// Returns SQL for the seconds since 2001-01-01 UTC. Its result does not depend on the session's time zone, so it can
    /// be a part of an index.
    private static func seconds(_ sql: String) -> String {
        "(extract(epoch FROM (\(sql)) AT TIME ZONE 'UTC')::double precision - \(ServerType.referenceDate))"
    }
}

extension Int64 {
    fileprivate func floorDivided(by other: Int64) -> Int64 {
        self >= 0 || self % other == 0 ? self / other : self / other - 1
    }

    fileprivate func floorRemainder(by other: Int64) -> Int64 { self - floorDivided(by: other) * other }
}
