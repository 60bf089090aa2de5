// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is built with. Pure targets add `.strictMemorySafety()`, which proves that they hold no unsafe code.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]
let pureSettings = settings + [.strictMemorySafety()]

/// The fuzzers' own program has no `main` but libFuzzer's, so that only `Fuzz/run`, which links that, builds it.
let fuzzDriver: [Target] =
    Context.environment["DLSYNC_FUZZ"] == nil
    ? []
    : [.executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], path: "Fuzz/Driver", swiftSettings: settings)]

let package = Package(
    name: "dlsync",
    products: [
        .library(name: "DLSync", targets: ["DLSync"]),
        .executable(name: "dlsync", targets: ["DLSyncTool"]),
    ],
    targets: [
        .systemLibrary(name: "CCompression", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSystem"),

        // Rounding a Double calls the C library's mathematics, which only an import of Glibc would link by itself.
        .target(name: "SyncCore", swiftSettings: pureSettings, linkerSettings: [.linkedLibrary("m")]),
        .target(name: "Compression", dependencies: ["CCompression", "SyncCore"], swiftSettings: settings),
        .target(name: "Curl", dependencies: ["CCurl"], swiftSettings: settings),
        .target(name: "Markup", dependencies: ["CLibXML2", "SyncCore"], swiftSettings: settings),
        .target(
            name: "DLSync",
            dependencies: ["CCrypto", "CSQLite", "CSystem", "Compression", "Curl", "Markup", "SyncCore"],
            swiftSettings: settings),
        .target(name: "CommandLineKit", swiftSettings: pureSettings),
        .target(
            name: "DLSyncCLI", dependencies: ["CommandLineKit", "CSystem", "DLSync", "SyncCore"],
            swiftSettings: settings),
        .executableTarget(name: "DLSyncTool", dependencies: ["DLSyncCLI"], swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["CSystem", "SyncCore"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .testTarget(
            name: "TestSupportTests", dependencies: ["SyncCore", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "SyncCoreTests", dependencies: ["SyncCore", "TestSupport"], resources: [.copy("Resources")],
            swiftSettings: settings),
        .testTarget(
            name: "CompressionTests", dependencies: ["Compression", "SyncCore", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CurlTests", dependencies: ["Curl", "SyncCore", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "MarkupTests", dependencies: ["Compression", "Markup", "SyncCore", "TestSupport"],
            resources: [.copy("Resources")], swiftSettings: settings),
        .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit"], swiftSettings: settings),
        .testTarget(name: "DLSyncTests", dependencies: ["DLSync", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "DLSyncCLITests", dependencies: ["DLSyncCLI", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests", dependencies: ["DLSyncTool", "TestSupport"], swiftSettings: settings),

        // What Fuzz/run feeds with bytes, and the test that feeds it with those that once broke something.
        .target(
            name: "FuzzTargets", dependencies: ["Compression", "Markup", "SyncCore", "TestSupport"],
            path: "Fuzz/Targets", swiftSettings: settings),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: settings),
    ] + fuzzDriver,
    swiftLanguageModes: [.v6]
)
