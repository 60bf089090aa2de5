package import CommandLineKit
internal import DLSync

/// The one table of options: what is parsed, and what help, manual, completions and reference are made of.
package let dlsyncCommand = CommandSpec(
    name: "dlsync",
    overview: "Bring a directory up to date with what a manifest or an index page names.",
    discussion: [
        "A source is a manifest file, '-' for standard input, or the URL of a manifest or an index page. Files that are "
            + "here and current are left alone, unfinished ones are gone on with where they were, and what stands under "
            + "its final name is complete."
    ],
    usage: [
        "[OPTIONS] SOURCE... DEST", "--list [OPTIONS] SOURCE...", "--verify [--repair] [OPTIONS] [SOURCE...] DEST",
        "--status [--json] DEST", "--forget-source URL|FILE DEST",
        "--explain-listing URL|FILE [OPTIONS]",
    ],
    arguments: [
        ArgumentSpec("SOURCE", "A manifest file, '-' for standard input, or a URL."),
        ArgumentSpec("DEST", "The directory to bring up to date. It is created where it is missing."),
    ],
    options: [
        .flag(
            "dry-run", short: "n", section: Section.modes,
            "Say what would be done, and why, and write nothing at all below DEST."),
        .flag(
            "list", section: Section.modes,
            "Print what the sources yield and do nothing with it; there is no DEST then."),
        .value(
            "explain-listing", "URL|FILE", section: Section.modes, completion: .file,
            "Print what each link of this page is taken for, and why, and do nothing with it; there is no SOURCE and no DEST "
                + "then."),
        .flag(
            "verify", section: Section.modes,
            "Read the files in DEST and compare them with the digests that --digests or the sources give, or without sources "
                + "with those that were recorded. Changes nothing."),
        .flag(
            "repair", section: Section.modes, "With --verify, fetch again what is missing or differs, and nothing else."
        ),
        .flag(
            "status", section: Section.modes,
            "Print what DEST remembers: unfinished files, failures and how old they are, the last runs, the sources, the hosts. "
                + "Changes nothing, and may be asked while a run works."),
        .value(
            "forget-source", "URL|FILE", section: Section.modes, completion: .file,
            "Have DEST forget a source that has moved, or that is not given any more. Files that no other source names are no "
                + "source's then; none is deleted by this."),
        .flag(
            "json", section: Section.modes,
            "Print the plan of a dry run, a list, what links are taken for, a verification or a status as NDJSON: one JSON object "
                + "a line."),
        .value(
            "config", "FILE", section: Section.modes, completion: .file,
            "Take further options from this file. DEST/.dlsync/config is read after it, if there is one; the command line "
                + "wins, then this file."),
        .flag("help", short: "h", section: Section.modes, "Show this help."),
        .flag("version", section: Section.modes, "Show the version."),
        .flag("manual", section: Section.modes, "Print the manual page, for man(1)."),
        .value(
            "completions", "SHELL", section: Section.modes, completion: .words(Shell.allCases.map(\.rawValue)),
            "Print the completions for a shell: bash, zsh or fish."),

        .value(
            "format", "NAME", section: Section.reading,
            "Read the sources as this format, whatever their content: \(knownFormats.joined(separator: ", "))."),
        .value(
            "base-url", "URL", section: Section.reading,
            "Resolve relative names of manifests in files and on standard input against this URL."),
        .value(
            "depth", "N", section: Section.reading, default: "no limit",
            "Follow listings below a listing this many levels deep; 0 follows none."),
        .value(
            "layout", "LAYOUT", section: Section.reading, default: "tree",
            completion: .words(["tree", "host", "flat"]),
            "Where files land: by their path below the listing (tree), by host and path of their URL (host), or by their "
                + "name alone (flat)."),
        .value(
            "cut-dirs", "N", section: Section.reading, default: "0",
            "Leave out this many leading directories of each path."),

        .value(
            "location", "CC[,CC...]", section: Section.reading,
            "Ask mirrors in these countries, as in de,at, before all others of a Metalink document."),

        .repeated(
            "include", "GLOB", section: Section.reading,
            "Want what this pattern is for. --include, --exclude and --filter-from are tried in their order, and the first "
                + "that matches decides. 'name' is a name in any directory, '/name' one at the top, 'name/' a directory with "
                + "all below it; * stays within a directory, ** does not."),
        .repeated(
            "exclude", "GLOB", section: Section.reading,
            "Do not want what this pattern is for. It is neither fetched nor deleted."),
        .repeated(
            "filter-from", "FILE", section: Section.reading, completion: .file,
            "Take patterns from this file, a line each: '+ GLOB' includes, '- GLOB' excludes, '#' starts a comment."),
        .value(
            "min-size", "SIZE", section: Section.reading, default: "no limit", "Do not want smaller files."),
        .value(
            "max-size", "SIZE", section: Section.reading, default: "no limit",
            "Do not want bigger files. A rounded size of a listing counts only where it is too big for sure; otherwise the "
                + "server is asked."),
        .value(
            "max-entries", "N", section: Section.reading, default: "no limit",
            "Take a source for broken that names more entries."),

        .repeated(
            "digests", "URL|FILE", section: Section.comparing, completion: .file,
            "Take digests from this list, such as a SHA256SUMS, for the entries that it names by URL or by path; they count in "
                + "the place of those that the sources give. Nothing is fetched where it cannot be read."),
        .flag(
            "trust-listing", section: Section.comparing,
            "Do not ask the server about a file of which its source says what it said when the file was last proven: the "
                + "same exact size, and the same date or digest."),
        .value(
            "adopt", "WHEN", section: Section.comparing, default: "auto", completion: .words(["auto", "never"]),
            "Whether a shorter file that another tool left is taken as the beginning of the wanted one, once its bytes "
                + "were compared with the server's at several places: auto or never."),
        .flag(
            "record-digests", section: Section.comparing,
            "Compute and record a SHA-256 digest of every file that is fetched, not only of those that a digest was given "
                + "for, so that --verify can prove them."),

        .flag(
            "delete", section: Section.mirroring,
            "Delete files that no source names any more: those that dlsync brought and nobody changed, once everything else "
                + "is done, and only where the sources were read to their end."),
        .flag(
            "delete-unowned", section: Section.mirroring,
            "As --delete, and also delete all other files below DEST that no source names."),
        .value(
            "max-delete", "N|P%", section: Section.mirroring, default: "50%",
            "Delete nothing if it would be more files than this, or a greater part of the files of a source."),
        .value(
            "delete-after-runs", "K", section: Section.mirroring, default: "1",
            "Delete a file only when it was gone in this many complete runs in a row."),
        .flag(
            "allow-empty", section: Section.mirroring,
            "Believe a listing that had rows in an earlier run and has none now."),
        .value(
            "backup-dir", "DIR", section: Section.mirroring, completion: .directory,
            "Keep files there that are deleted or replaced, by their paths below DEST."),
        .repeated(
            "publish-last", "GLOB", section: Section.mirroring,
            "Put files that this pattern is for in place only when everything else is in sync."),
        .value(
            "min-free", "SIZE", section: Section.mirroring, default: "0",
            "Begin no file that would leave less than this free at DEST."),

        .value(
            "connections", short: "j", "N", section: Section.transfer, default: "16",
            "The most transfers at once, over all hosts; inquiries and listings count. Over HTTP/2 each is a connection, which "
                + "carries up to 32 small transfers."),
        .value(
            "per-host", "N", section: Section.transfer, default: "8", "The most transfers at once to one host."),
        .value(
            "segments", short: "s", "N", section: Section.transfer, default: "auto",
            "The most transfers at once for one file; auto starts with one and adds while that makes it faster."),
        .value(
            "min-segment", "SIZE", section: Section.transfer, default: "1M",
            "Split no range off that is shorter than this; without it, of a slow transfer even 64k."),
        .value(
            "limit-rate", "RATE", section: Section.transfer, default: "no limit",
            "The most bytes a second, over all transfers together, as in 500k or 2M; by the time of the day as in "
                + "08:00-18:00=1M,none."),
        .value(
            "retries", "N", section: Section.transfer, default: "5",
            "How often a transfer is tried again after a passing failure; one that brings bytes starts to count anew."),
        .value(
            "retry-max-wait", "DURATION", section: Section.transfer, default: "60s",
            "The longest wait before a retry, unless the server asks for more."),
        .value(
            "max-retry-after", "DURATION", section: Section.transfer, default: "1h",
            "The longest that a server may ask a transfer to wait; one that asks for more is left to the next run."),
        .value(
            "retry-status", "LIST", section: Section.transfer,
            "Statuses that are tried again besides 408, 425, 429, 500, 502 to 504, 520 to 524 and 530, separated by commas; "
                + "one with ! before it is not tried again."),
        .value(
            "connect-timeout", "DURATION", section: Section.transfer, default: "30s",
            "How long a connection may take to be made."),
        .value(
            "stall-timeout", "DURATION", section: Section.transfer, default: "30s",
            "How long a transfer may bring nothing before it is begun again. There is no limit on the whole time."),
        .flag(
            "require-ranges", section: Section.transfer,
            "Fetch files of --min-segment bytes and more only from servers that can go on in their middle."),
        .flag("http1.1", section: Section.transfer, "Use HTTP/1.1 and nothing later."),
        .flag("ipv4", short: "4", section: Section.transfer, "Use IPv4 addresses alone."),
        .flag("ipv6", short: "6", section: Section.transfer, "Use IPv6 addresses alone."),
        .value(
            "user-agent", short: "A", "TEXT", section: Section.transfer, default: "dlsync/VERSION",
            "What requests say of who sends them."),

        .value(
            "user", short: "u", "USER:PASSWORD", section: Section.access,
            "Log in with this name and password."),
        .repeated(
            "header", short: "H", "LINE", section: Section.access,
            "Send this field with each request, as in 'X-Key: abc'."),
        .value(
            "cookie", short: "b", "NAME=VALUE", section: Section.access,
            "Send these cookies, as in 'a=1; b=2'."),
        .repeated(
            "origin", "URL", section: Section.access,
            "Name an origin that --user, --header and --cookie are for. They go to the origins of the sources and of "
                + "--base-url, and to those named here, and to no other."),
        .flag("netrc", section: Section.access, "Take logins from ~/.netrc, each for the host that it names."),
        .value(
            "netrc-file", "FILE", section: Section.access, completion: .file, "Take logins from this file instead."),
        .value(
            "proxy", short: "x", "URL", section: Section.access, default: "what the environment says",
            "Send all requests through this proxy."),
        .value(
            "cacert", "FILE", section: Section.access, completion: .file,
            "Believe the certificate authorities in this file instead of the system's."),
        .value(
            "cert", "FILE", section: Section.access, completion: .file, "Show this client certificate to servers."),
        .value("key", "FILE", section: Section.access, completion: .file, "Use this key for the client certificate."),
        .flag("insecure", short: "k", section: Section.access, "Do not check servers' certificates."),
        .repeated(
            "resolve", "HOST:PORT:ADDRESS", section: Section.access, "Use this address for a host and port."),

        .value(
            "lock-wait", "DURATION", section: Section.scheduling, default: "0s",
            "How long to wait for another run that holds DEST, rather than to end at once."),
        .value(
            "max-duration", "DURATION", section: Section.scheduling, default: "no limit",
            "End in order after this time, and leave the rest to the next run (exit status 8)."),
        .value(
            "window", "HH:MM-HH:MM", section: Section.scheduling, default: "no limit",
            "Work only in this part of the day, which may go over midnight, and end in order outside of it (exit status 8)."
        ),
        .value(
            "on-change", "COMMAND", section: Section.scheduling,
            "Have /bin/sh run this at the end if anything was changed in DEST. What happened stands in variables of the "
                + "environment, DLSYNC_DEST and others."),
        .value(
            "on-failure", "COMMAND", section: Section.scheduling,
            "Have /bin/sh run this at the end if something failed, as --on-change does."),

        .value(
            "progress", "STYLE", section: Section.output, default: "auto",
            completion: .words(["auto", "bar", "plain", "none"]),
            "How progress is shown on standard error: as lines that are redrawn (bar), as a line every ten seconds "
                + "(plain), not at all (none), or as a bar where there is a terminal (auto)."),
        .value(
            "log-file", "FILE", section: Section.output, completion: .file,
            "Append every message, and a line for every file that was changed or failed, to this file, each with its date. "
                + "A file that was rotated away is begun anew."),
        .value(
            "events", "FILE", section: Section.output, completion: .file,
            "Write what becomes of every entry to this file as NDJSON, as it happens; '-' is standard output."),
        .value(
            "report", "FILE", section: Section.output, completion: .file,
            "Replace this file at the end by one JSON object that sums the run up."),
        .value(
            "failed-file", "FILE", section: Section.output, completion: .file,
            "Replace this file at the end by a list of what failed, which can be a source itself, and remove it if "
                + "nothing did."
        ),
        .value(
            "metrics-file", "FILE", section: Section.output, completion: .file,
            "Replace this file at the end by numbers in Prometheus' text format."),
        .flag("quiet", short: "q", section: Section.output, "Say nothing but what failed."),
        .flag("verbose", short: "v", section: Section.output, "Say what became of every file."),
    ],
    manual: [
        ManualSection(
            "FILES",
            [
                .definitions([
                    ManualSection.Definition(
                        "DEST/.dlsync",
                        "What dlsync remembers of DEST, and unfinished files. Removing it costs work, never data."),
                    ManualSection.Definition(
                        "DEST/.dlsync/config",
                        "Options for every run on DEST, if it is there: long names, as in 'limit-rate = 500k', a line each. It "
                            + "must be yours or root's, and nobody else may be able to write it."),
                ])
            ]),
        ManualSection(
            "EXIT STATUS", isInHelp: true,
            [.definitions(ExitStatus.allCases.map { ManualSection.Definition(String($0.rawValue), $0.meaning) })]),
    ])

/// The headings of the options.
enum Section {
    static let modes = "MODES"
    static let reading = "READING SOURCES"
    static let comparing = "COMPARING"
    static let mirroring = "MIRRORING"
    static let transfer = "TRANSFERS"
    static let access = "ACCESS"
    static let scheduling = "SCHEDULING"
    static let output = "OUTPUT"
}
