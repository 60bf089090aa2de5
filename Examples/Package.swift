// swift-tools-version: 6.2
import PackageDescription

let names = ["EqualRanges", "PauseAndResume", "ResumeByFileSize", "ResumeInLaterLaunch"]

let package = Package(
    name: "dlsync-examples",
    dependencies: [.package(name: "dlsync", path: "..")],
    targets: names.map { name in
        .executableTarget(
            name: name, dependencies: [.product(name: "DLSync", package: "dlsync")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    },
    swiftLanguageModes: [.v6]
)
