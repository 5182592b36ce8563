extension SQL {
    /// The expression `sql` with each column, which stands in double quotes, replaced by its expression in `columns`.
    ///
    /// Gives nil where `columns` does not have one of them. So what one step says over the columns of the version
    /// before it is said over those of an older one.
    public static func substituting(_ columns: [String: String], in sql: String) -> String? {
        var result: [UInt8] = []
        let bytes = Array(sql.utf8)
        var index = 0
        while index < bytes.count {
            let quote = bytes[index]
            guard quote == 0x22 || quote == 0x27 else {
                result.append(quote)
                index += 1
                continue
            }
            var end = index + 1
            while end < bytes.count, bytes[end] != quote || (end + 1 < bytes.count && bytes[end + 1] == quote) {
                end += bytes[end] == quote ? 2 : 1
            }
            let token = bytes[index..<min(end + 1, bytes.count)]
            index = end + 1
            guard quote == 0x22 else {
                result += token
                continue
            }
            guard let name = leadingIdentifier(String(decoding: token, as: UTF8.self)), let value = columns[name] else {
                return nil
            }
            let isSimple = leadingIdentifier(value).map { quoted($0) == value } ?? false
            result += Array((isSimple ? value : "(\(value))").utf8)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
