@testable import CommandLineKit

/// A table of the size and the kinds of a real one, to see the look of what is made from it.
let sampleCommand = CommandSpec(
    name: "dlsync",
    overview: "Bring a local directory up to date with what manifests and listings name.",
    discussion: [
        "A source is a manifest file, '-' for standard input, or the URL of a manifest or index page. What is complete "
            + "and current is not fetched again."
    ],
    usage: ["[<options>] <source> ... <dest>", "--list [<options>] <source> ...", "--status <dest>"],
    arguments: [
        ArgumentSpec("source", "A manifest file, '-', or the URL of a manifest or listing."),
        ArgumentSpec("dest", "The directory to bring up to date."),
    ],
    options: [
        .flag(
            "dry-run", short: "n", section: "Modes",
            "Say what would be done, and why. Nothing is written below the destination."),
        .flag("list", section: "Modes", "Print the entries that the sources yield."),
        .flag("verify", section: "Modes", "Hash the tree again and compare it with the digests that are known."),
        .flag("repair", section: "Modes", "With --verify, fetch again what is bad, and only that."),
        .flag("status", section: "Modes", "Tell what is unfinished below a destination, what failed and since when."),
        .flag("help", short: "h", section: "Modes", "Show this help."),
        .value(
            "format", "name", section: "Reading", default: "by content",
            completion: .words(["list", "checksums", "tsv", "html", "metalink"]), "Read the sources as this format."),
        .value("base-url", "url", section: "Reading", "Resolve the relative names of a file against this URL."),
        .value("depth", "n", section: "Reading", default: "no limit", "Follow listings this deep."),
        .value(
            "layout", "layout", section: "Reading", default: "tree", completion: .words(["tree", "host", "flat"]),
            "Where files land below the destination."),
        .repeated(
            "include", "glob", section: "Reading", "Take what matches; '**' crosses directories. The first match wins."),
        .repeated(
            "exclude", "glob", section: "Reading",
            "Leave what matches; the first match of --include and --exclude wins."),
        .value("filter-from", "file", section: "Reading", completion: .file, "Read filters from a file, one a line."),
        .flag("size-only", section: "Comparing", "Compare sizes and nothing else."),
        .flag(
            "checksum", short: "c", section: "Comparing", "Compare digests, and hash what is here where they are known."
        ),
        .value(
            "adopt", "when", section: "Comparing", default: "auto", completion: .words(["auto", "never"]),
            "Whether the unfinished file of another tool is taken over."),
        .value("connections", short: "j", "n", section: "Transfer", default: "16", "Run this many transfers at once."),
        .value("per-host", "n", section: "Transfer", default: "8", "Run this many transfers at once to one host."),
        .value(
            "segments", short: "s", "auto|n", section: "Transfer", default: "auto",
            "Fetch a file in this many ranges at once; 'auto' begins with one and adds while it pays."),
        .value(
            "limit-rate", "rate", section: "Transfer", default: "no limit",
            "Fetch no more than this a second, such as 10M."),
        .flag("http1.1", section: "Transfer", "Speak HTTP/1.1 and no later version."),
        .flag("ipv4", short: "4", section: "Transfer", "Use IPv4 addresses only."),
        .repeated(
            "header", short: "H", "line", section: "Transfer",
            "Send this header with every request, such as 'X-Key: abc'."),
        .value("user", short: "u", "name:password", section: "Transfer", "Log in with this name and password."),
        .flag(
            "insecure", short: "k", section: "Transfer",
            "Do not check the certificates of servers. What comes then may come from anyone."),
        .flag(
            "delete", section: "Mirroring", "Delete what was brought by an earlier run and is gone from the sources."),
        .value("max-delete", "n|p%", section: "Mirroring", default: "50%", "Refuse to delete more than this."),
        .value(
            "backup-dir", "dir", section: "Mirroring", completion: .directory,
            "Move what would be deleted or replaced to here."),
        .value(
            "progress", "how", section: "Output", default: "auto",
            completion: .words(["auto", "bar", "plain", "none"]),
            "How to show progress."),
        .flag("color", negatable: true, section: "Output", default: "on a terminal", "Use colours."),
        .flag("quiet", short: "q", section: "Output", "Print errors only."),
        .flag("json", section: "Output", "Print one JSON object a line."),
    ],
    manual: [
        ManualSection(
            "Exit status", isInHelp: true,
            [.definitions([.init("0", "In sync; nothing to do counts."), .init("3", "Some entries failed.")])]),
        ManualSection(
            "Examples",
            [
                .paragraph("Mirror an index page, and see before what would happen:"),
                .verbatim(["dlsync -n https://example.org/pub/ /srv/pub", ".hidden 'quoted' \\ back"]),
                .paragraph("The first is harmless."),
            ]),
    ])
