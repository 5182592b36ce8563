import SchemaModel
import Testing

@Suite struct SwiftNameTests {
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
