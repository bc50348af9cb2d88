"""An FMU as files: unpacked once, described, compiled where it has no binary."""
