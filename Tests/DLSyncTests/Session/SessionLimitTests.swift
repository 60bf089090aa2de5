import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    @Suite struct Limit {
        @Test(
            "No more requests run at once than are allowed, over listings, inquiries and files alike",
            arguments: [(1, 1), (3, 2), (4, 8), (16, 3)])
        func limits(connections: Int, perHost: Int) async throws {
            let bench = try Bench()
            let servers = try (1...3).map { try FaultServer(address: "127.0.0.\($0)") }
            defer { for server in servers { server.stop() } }
            // The handlers of all three count in one place how many answers are being made and sent at once.
            let rows = (0..<12).map { IndexRow("f\($0)", size: 20_000) }
            for (number, server) in servers.enumerated() {
                server.serve("/l\(number)/", .html(nginxIndexPage(of: "/l\(number)/", rows)))
                for row in rows { server.serve("/l\(number)/\(row.name)", Resource(.pattern(seed: 3, count: 20_000))) }
                server.serve(
                    "/big\(number)", Resource(.pattern(seed: 9, count: 4 << 20)),
                    script: [.always(on: .get, .drip(bytes: 1 << 20, gate: "drip"))])
                server.gate("drip").open()
            }
            let list = try bench.list(servers.enumerated().map { $1.url("/big\($0)") })
            let urls = servers.enumerated().map { Source(argument: $1.url("/l\($0)/")) }
            let configure: @Sendable (inout SyncConfiguration) -> Void = {
                $0.connections = connections
                $0.connectionsPerHost = perHost
                $0.segments = .fixed(4)
                $0.placement = Placement(layout: .host)
            }
            for _ in 0..<2 {
                let told = try await bench.run([list] + urls, configure)
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes.count == 39)
            }
            let statistics = servers.map(\.statistics)
            for one in statistics {
                #expect(one.peakActiveRequests <= min(perHost, connections))
                #expect(one.peakConnections <= perHost)
            }
        }

        @Test("The sum over all hosts is bounded", arguments: [1, 2, 5]) func total(connections: Int) async throws {
            let bench = try Bench()
            let servers = try (1...4).map { try FaultServer(address: "127.0.0.\($0)") }
            defer { for server in servers { server.stop() } }
            for server in servers {
                for index in 0..<4 {
                    server.serve(
                        "/\(server.port)-\(index)", Resource(.pattern(seed: 1, count: 100)),
                        script: [.always(.hold("all"))])
                }
            }
            let list = try bench.list(servers.flatMap { server in (0..<4).map { server.url("/\(server.port)-\($0)") } })
            let told = try await bench.session {
                $0.connections = connections
            } _: { session in
                async let told = session.tell([list])
                // The hosts take turns, so that it is known where the permits go.
                for (index, server) in servers.enumerated() {
                    let share = (connections + servers.count - 1 - index) / servers.count
                    if share > 0 { try await server.gate("all").waitForArrivals(share) }
                }
                #expect(servers.reduce(0) { $0 + $1.statistics.activeRequests } == connections)
                for server in servers { server.gate("all").open() }
                return await told
            }
            #expect(told.isAllWell, "\(told.complaints)")
            #expect(told.outcomes.count == 16)
        }
    }
}
