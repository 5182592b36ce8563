/// Returns whether `text` is `#RRGGBB` or `#RRGGBBAA`.
package func isColor(_ text: String) -> Bool {
    let bytes = text.utf8
    return (bytes.count == 7 || bytes.count == 9) && bytes.first == 0x23
        && bytes.dropFirst().allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
        }
}
