"""Makes the data that is fetched, once for each run of the benchmarks, and checks what was fetched."""

import hashlib
import os
import random
from pathlib import Path

MIB = 1 << 20
BLOCK = 4 * MIB

# Names that tools lose or change: blanks, signs that URLs and HTML give a meaning, other scripts, and both forms of é.
ODD_NAMES = [
    "a b.bin", "two  blanks.bin", " leading.bin", "trailing .bin ", "100%.bin", "percent%41.bin", "percent%2Fslash.bin",
    "hash#mark.bin", "question?mark.bin", "query?a=1&b=2.bin", "amp&ersand.bin", "entity&amp;.bin", "semi;colon.bin",
    "plus+sign.bin", "comma,.bin", "co:lon.bin", "at@sign.bin", "equals=.bin", "dollar$.bin", "excl!.bin", "star*.bin",
    "quote\"double.bin", "it's.bin", "back\\slash.bin", "pipe|.bin", "tilde~.bin", "caret^.bin", "back`tick.bin",
    "less<than>.bin", "curly{}.bin", "square[1].bin", "round(1).bin", "tab\there.bin", "-dash.bin", "--help",
    "percent%2525.bin", "all=&?#+%;.bin", "trailing.dot.", "UPPER.bin", "upper.bin", "index.htm", "no-extension",
    "\u00fcml\u00e4\u00fct.bin", "\u65e5\u672c\u8a9e.bin", "emoji-\U0001f680.bin", "e\u0301-nfd.bin", "\u00e9-nfc.bin",
    "y" * 200 + ".bin", "a.tar.gz", "javascript:alert(1).bin",
]


def fill(path, size, generator):
    """Writes a file of bytes that follow from the generator, and gives its digest."""
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        while size > 0:
            part = generator.randbytes(min(size, BLOCK))
            digest.update(part)
            file.write(part)
            size -= len(part)
    return digest.hexdigest()


def digest_of(path):
    """The SHA-256 digest of a file."""
    digest = hashlib.sha256()
    buffer = memoryview(bytearray(MIB))
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(buffer[:count])
    return digest.hexdigest()


class Data:
    """Sets of files below `root`, made when they are first wanted. Each is a dictionary from relative path to digest."""

    # Times are in the past, as tools distrust what changed just now.
    OLD = 1_700_000_000
    NEW = 1_710_000_000

    def __init__(self, root):
        self.root = Path(root)
        self.root.mkdir(parents=True)
        self.sets = {}
        self.sizes = {}

    def get(self, name):
        """The digests of a set."""
        if name not in self.sets:
            print(f"bench: making the data '{name}'", flush=True)
            self.sets[name] = getattr(self, "make_" + name)()
        return self.sets[name]

    def size(self, name):
        """How many bytes a set has."""
        digests = self.get(name)
        if name not in self.sizes:
            directory = self.root / name
            self.sizes[name] = sum((directory / relative).stat().st_size for relative in digests)
        return self.sizes[name]

    def one(self, name, size, seed, file=None):
        directory = self.root / name
        directory.mkdir()
        path = directory / (file or f"{name}.bin")
        digests = {path.name: fill(path, size, random.Random(seed))}
        os.utime(path, (self.OLD, self.OLD))
        return digests

    def many(self, name, count, size_of, per_directory=100, seed=1):
        generator = random.Random(seed)
        digests = {}
        for number in range(count):
            relative = f"d{number // per_directory:04}/f{number:06}.bin"
            path = self.root / name / relative
            if number % per_directory == 0:
                path.parent.mkdir(parents=True)
            digests[relative] = fill(path, size_of(number, generator), generator)
            os.utime(path, (self.OLD, self.OLD))
        return digests

    def make_big(self):
        return self.one("big", 2048 * MIB, 11)

    def make_half(self):
        return self.one("half", 1024 * MIB, 12)

    def make_medium(self):
        return self.one("medium", 64 * MIB, 13)

    def make_lossy(self):
        return self.one("lossy", 16 * MIB, 14)

    def make_small(self):
        return self.many("small", 10_000, lambda number, generator: 4096)

    def make_far(self):
        return self.many("far", 2_000, lambda number, generator: 4096, seed=2)

    def make_huge(self):
        return self.many("huge", 100_000, lambda number, generator: 4096, seed=3)

    def make_mixed(self):
        # Log-normal sizes, scaled so that together they are 1.5 GiB.
        generator = random.Random(5)
        raw = [generator.lognormvariate(0, 1.9) for _ in range(2_000)]
        low, high, total = 4096, 64 * MIB, 1536 * MIB

        def clipped(scale):
            return [min(high, max(low, int(size * scale))) for size in raw]

        least, most = 1.0, 1e9
        for _ in range(100):
            middle = (least + most) / 2
            least, most = (middle, most) if sum(clipped(middle)) < total else (least, middle)
        sizes = clipped(least)
        return self.many("mixed", len(sizes), lambda number, _: sizes[number], seed=6)

    def make_html(self):
        """5,000 files in directories up to four deep; fifty of them have odd names."""
        generator = random.Random(7)
        directories = [f"a{first}" for first in range(5)]
        directories += [f"a{first}/b{second}" for first in range(5) for second in range(5)]
        directories += [f"a{first}/b{second}/c{third}" for first in range(5) for second in range(5) for third in range(4)]
        names = [f"{directories[number % len(directories)]}/f{number:05}.bin" for number in range(5_000 - len(ODD_NAMES))]
        names += [f"a{number % 5}/b0/{name}" for number, name in enumerate(ODD_NAMES)]
        digests = {}
        for name in names:
            path = self.root / "html" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            digests[name] = fill(path, 4096, generator)
            os.utime(path, (self.OLD, self.OLD))
        return digests

    def make_changed(self):
        """`small` again, where 100 files have other bytes, of the same number, and a newer date."""
        before = dict(self.get("small"))
        generator = random.Random(8)
        altered = set(generator.sample(sorted(before), 100))
        for relative in before:
            path = self.root / "changed" / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            if relative in altered:
                before[relative] = fill(path, 4096, generator)
                os.utime(path, (self.NEW, self.NEW))
            else:
                os.link(self.root / "small" / relative, path)
        return before

    def make_half2(self):
        """Another version of `half`, of the same size."""
        digests = self.one("half2", 1024 * MIB, 15, "half.bin")
        os.utime(self.root / "half2" / "half.bin", (self.NEW, self.NEW))
        return digests

    def show(self, name, target):
        """Puts the set `target` at the address /NAME/, whatever was there."""
        link, new = self.root / name, self.root / (name + ".new")
        new.symlink_to(self.root / target)
        new.rename(link)


def verdict(destination, digests):
    """'ok', or what is wrong with the files below a directory. What dlsync keeps in .dlsync is its own."""
    missing = dict(digests)
    wrong = extra = 0
    for directory, names, files in os.walk(destination):
        if ".dlsync" in names and Path(directory) == Path(destination):
            names.remove(".dlsync")
        for file in files:
            path = os.path.join(directory, file)
            relative = os.path.relpath(path, destination)
            if relative not in missing:
                extra += 1
            elif digest_of(path) != missing.pop(relative):
                wrong += 1
    faults = [f"{count} {what}" for count, what in ((len(missing), "missing"), (wrong, "wrong"), (extra, "extra")) if count]
    return ", ".join(faults) or "ok"
