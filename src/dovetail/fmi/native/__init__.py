"""All in-process FMUs of an assembly behind one native call."""
