import SyncCore
import Testing

@Suite struct OwnBlocksTests {
    @Test(
        "Blocks are as short as the bound on their number allows, and small files have none",
        arguments: [
            (0, nil), ((4 << 20) - 1, nil), (4 << 20, 1 << 20), (4 << 30, 1 << 20), ((4 << 30) + 1, 2 << 20),
            (1 << 40, 256 << 20), (Int64.max, 1 << 51),
        ] as [(Int64, Int64?)])
    func lengths(size: Int64, length: Int64?) {
        #expect(OwnBlocks.length(for: size) == length)
        guard let length else { return }
        #expect((size - 1) / length < OwnBlocks.mostBlocks)
    }
}
