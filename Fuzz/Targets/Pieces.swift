import SyncCore

/// Cuts bytes at random places, which the bytes themselves decide, so that a case can be had again. Some pieces are
/// empty, small documents are sometimes cut into single bytes.
func randomPieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var seed: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var generator = SplitMix64(seed: seed)
    if bytes.count <= 512, Int.random(in: 0..<4, using: &generator) == 0 { return bytes.indices.map { bytes[$0...$0] } }
    let count = Int.random(in: 1...6, using: &generator)
    let cuts = (0..<count).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
    return zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
}
