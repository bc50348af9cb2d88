"""XML and archives that nobody vouches for: FMUs and SSPs are read through here."""
