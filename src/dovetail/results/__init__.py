"""What a run leaves: recorders, tables, result files of every format, pictures, comparisons."""
