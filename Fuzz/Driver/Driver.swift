import FuzzTargets
import Glibc

/// What libFuzzer calls with every input. `Fuzz/run` names the target in the environment.
@_cdecl("LLVMFuzzerTestOneInput") public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let fault = target.fault(bytes) else { return 0 }
    say("\(target): \(fault)")
    abort()
}

private let target: FuzzTarget = {
    let name = getenv("DLSYNC_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    if let target = FuzzTarget.all.first(where: { $0.name == name }) { return target }
    say("There is no target '\(name)', only \(FuzzTarget.all.map(\.name).joined(separator: ", ")).")
    exit(2)
}()

private func say(_ message: String) {
    let bytes = Array((message + "\n").utf8)
    write(STDERR_FILENO, bytes, bytes.count)
}
