/// Bytes in the gzip format (RFC 1952), stored and not compressed: any reader of gzip unpacks them.
package func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var start = 0
    repeat {
        let count = min(65535, bytes.count - start)
        let length = UInt16(count)
        result.append(start + count == bytes.count ? 1 : 0)
        for value in [length, ~length] { result += [UInt8(value & 0xFF), UInt8(value >> 8)] }
        result += bytes[start..<start + count]
        start += count
    } while start < bytes.count
    for value in [crc32(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
        result += (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    return result
}

private let crcTable: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
}

private func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
}
