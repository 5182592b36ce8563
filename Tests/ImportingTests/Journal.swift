/// A Core Data model of a journal, and a store of it.
///
/// Core Data did not write the store. It has the layout that `CoreDataSource` describes.
enum Journal {
    private static func attribute(_ name: String, _ type: String, _ rest: String = "optional=\"YES\"") -> String {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(rest)/>"
    }

    private static func relationship(_ name: String, _ target: String, _ inverse: String, _ rest: String = "") -> String
    {
        "<relationship name=\"\(name)\" destinationEntity=\"\(target)\" inverseName=\"\(inverse)\" deletionRule=\"Nullify\" \(rest)/>"
    }

    private static let many = "toMany=\"YES\" optional=\"YES\""
    private static let one = "maxCount=\"1\" optional=\"YES\""

    /// The first version: inheritance, every type, every kind of relationship.
    static let first =
        "<entity name=\"Media\" isAbstract=\"YES\">" + attribute("title", "String", "") + attribute("added", "Date")
        + relationship("tags", "Tag", "items", many + " ordered=\"YES\"") + "</entity>"
        + "<entity name=\"Book\" parentEntity=\"Media\">" + attribute("note", "String")
        + attribute("subtitle", "String")
        + attribute("pages", "Integer 32", "defaultValueString=\"0\"") + relationship("shelf", "Shelf", "books", one)
        + "</entity>"
        + "<entity name=\"Film\" parentEntity=\"Media\">" + attribute("note", "Binary")
        + attribute("subtitle", "String")
        + attribute("rating", "Float") + "</entity>"
        + "<entity name=\"Tag\">" + attribute("name", "String", "") + attribute("key", "UUID", "")
        + relationship("items", "Media", "tags", many) + "</entity>"
        + "<entity name=\"Shelf\">" + attribute("price", "Decimal") + attribute("site", "URI")
        + attribute("colors", "Transformable", "optional=\"YES\" customClassName=\"[String]\"")
        + attribute("cover", "Binary", "optional=\"YES\" allowsExternalBinaryDataStorage=\"YES\"")
        + attribute("isOpen", "Boolean", "") + relationship("books", "Book", "shelf", many + " ordered=\"YES\"")
        + "</entity>"
        + "<entity name=\"Person\">" + relationship("passport", "Passport", "person", one)
        + relationship("friends", "Person", "friends", many) + "</entity>"
        + "<entity name=\"Passport\">" + relationship("person", "Person", "passport", "maxCount=\"1\"") + "</entity>"

    /// The second version, which adds an attribute.
    static let second = first.replacing(
        "<entity name=\"Tag\">",
        with: "<entity name=\"Tag\">" + attribute("weight", "Double", "defaultValueString=\"1\""))

    /// A store of the first version.
    static let store = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Media', 0, 5), (2, 'Book', 1, 0), (3, 'Film', 1, 0), (4, 'Passport', 0, 1),
          (5, 'Person', 0, 2), (6, 'Shelf', 0, 2), (7, 'Tag', 0, 2);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_METADATA VALUES (1, 'A-B-C', X'62706C697374');
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        CREATE TABLE ZMEDIA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGES INTEGER, ZSHELF INTEGER,
          Z_FOK_SHELF INTEGER, ZADDED TIMESTAMP, ZRATING FLOAT, ZTITLE VARCHAR, ZNOTE VARCHAR, ZSUBTITLE VARCHAR,
          ZSUBTITLE1 VARCHAR, ZNOTE1 BLOB);
        INSERT INTO ZMEDIA VALUES
          (1, 2, 1, 312, 1, 4096, 700000000.25, NULL, 'Dune', 'again', 'A novel', NULL, NULL),
          (2, 2, 1, 90, 1, 1024, NULL, NULL, 'Solaris', NULL, NULL, NULL, NULL),
          (3, 3, 4, NULL, NULL, NULL, 0, 4.5, 'Stalker', NULL, NULL, 'A film', X'0001'),
          (4, 2, 1, 0, NULL, NULL, -1, NULL, 'été' || char(0) || 'x', '', NULL, NULL, NULL);
        CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZKEY BLOB);
        INSERT INTO ZTAG VALUES (10, 7, 1, 'old', X'000102030405060708090A0B0C0D0E0F'),
          (20, 7, 1, 'new', X'FF0102030405060708090A0B0C0D0E0F');
        CREATE TABLE Z_1TAGS (Z_1ITEMS INTEGER, Z_7TAGS INTEGER, Z_FOK_7TAGS INTEGER, PRIMARY KEY (Z_1ITEMS, Z_7TAGS));
        INSERT INTO Z_1TAGS VALUES (1, 10, 2048), (1, 20, 1024), (3, 20, 5);
        CREATE TABLE ZSHELF (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISOPEN INTEGER, ZPRICE DECIMAL,
          ZCOLORS BLOB, ZCOVER BLOB, ZSITE VARCHAR);
        INSERT INTO ZSHELF VALUES (1, 6, 1, 1, 12.5, NULL, X'01AABB', 'https://example.org/a?b=c'),
          (2, 6, 1, 0, 3, NULL, NULL, NULL);
        CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPASSPORT INTEGER);
        INSERT INTO ZPERSON VALUES (1, 5, 1, 7), (2, 5, 1, NULL);
        CREATE TABLE ZPASSPORT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPERSON INTEGER);
        INSERT INTO ZPASSPORT VALUES (7, 4, 1, 1);
        CREATE TABLE Z_5FRIENDS (Z_5FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_5FRIENDS, REFLEXIVE));
        INSERT INTO Z_5FRIENDS VALUES (1, 2), (2, 1);
        """
}
