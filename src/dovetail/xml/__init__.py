"""XML and archives from untrusted files: FMUs and SSPs are read through here."""
