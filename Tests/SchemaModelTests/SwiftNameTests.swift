import SchemaModel
import Testing

@Suite struct SwiftNameTests {
    /// As Lucid's `camelCased().variableCased()` write it.
    @Test(arguments: [
        ("name", "name"), ("store_id", "storeId"), ("is_HD", "isHd"), ("y_z", "yz"), ("a_b_cd", "abCd"),
        ("a_list", "aList"),
        ("line_2nd", "line2Nd"), ("x2y_z", "x2yz"),
    ])
    func `names in Lucid's JSON`(name: String, key: String) { #expect(SwiftName.camelCase(name) == key) }

    @Test(arguments: [
        ("store_id", "storeID"), ("id", "id"), ("url_path", "urlPath"), ("poster_url", "posterURL"),
        ("storeId", "storeId"),
        ("name", "name"), ("Name", "name"), ("URL", "url"), ("a-b c", "aBC"), ("2nd_line", "_2ndLine"),
        ("größe_x", "größeX"),
        ("_private", "private"), ("final_", "final"), ("html_body_json", "htmlBodyJSON"), ("名前", "名前"),
    ])
    func `members are in lowerCamelCase`(name: String, member: String) {
        #expect(SwiftName.member(name) == member)
    }

    @Test(arguments: [
        ("laundry_item", "LaundryItem"), ("LaundryItem", "LaundryItem"), ("laundryItem", "LaundryItem"), ("url", "URL"),
        ("3d_model", "_3dModel"),
    ])
    func `types are in UpperCamelCase`(name: String, type: String) {
        #expect(SwiftName.type(name) == type)
    }

    @Test func `keywords are escaped with backticks`() {
        #expect(SwiftName.escaped("default") == "`default`")
        #expect(SwiftName.escaped("name") == "name")
    }
}
